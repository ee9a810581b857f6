#include "cmd/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Property;
using testing::SizeIs;
using testing::StartsWith;
using testing::Throws;
using testing::ThrowsMessage;

constexpr Range kAny{0, std::uint64_t{1} << 40};

struct SizeCase {
  const char* text;
  std::uint64_t bytes;
};
class GoodSize : public testing::TestWithParam<SizeCase> {};

TEST_P(GoodSize, IsRead) {
  EXPECT_EQ(ParseSize("--size", GetParam().text, kAny), GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(Texts, GoodSize,
                         testing::Values(SizeCase{"64", 64}, SizeCase{"64k", 65536},
                                         SizeCase{"64K", 65536}, SizeCase{"1m", 1 << 20},
                                         SizeCase{"1M", 1 << 20}, SizeCase{"2G", 2ULL << 30},
                                         SizeCase{"0", 0}));

TEST(ParseSize, IsBoundedInBytesWhateverItsUnit) {
  constexpr Range kFromAPage{4096, std::uint64_t{1} << 40};
  EXPECT_EQ(ParseSize("--size", "4K", kFromAPage), 4096U);
  EXPECT_EQ(ParseSize("--size", "1024G", kFromAPage), std::uint64_t{1} << 40);
  EXPECT_THROW(ParseSize("--size", "3K", kFromAPage), Error);
  EXPECT_THROW(ParseSize("--size", "1025G", kFromAPage), Error);
}

TEST(ParseSize, TakesEachUnitInEitherCase) {
  constexpr Range kAll{1, std::uint64_t{1} << 50};
  EXPECT_EQ(ParseSize("--size", "3k", kAll), 3U << 10);
  EXPECT_EQ(ParseSize("--size", "3G", kAll), std::uint64_t{3} << 30);
  EXPECT_EQ(ParseSize("--size", "2T", kAll), std::uint64_t{2} << 40);
  EXPECT_THROW(ParseSize("--size", "18446744073709551615T", kAll), Error);
}

struct Remedied {
  const char* text;
  const char* message;
  const char* remedy;
};

// In the words of the option's own units.
TEST(Quantities, AreRefusedWithARemedy) {
  const auto expect = [](auto parse, const Remedied& row) {
    EXPECT_THAT([&] { parse(row.text); },
                Throws<Error>(AllOf(Property(&Error::what, HasSubstr(row.message)),
                                    Property(&Error::remedy, row.remedy))));
  };
  const auto number = [](const char* text) { return ParseNumber("--qp", text, {1, 16384}); };
  expect(number, {"x", "--qp 'x' is not a whole number", "write it as in 1 or 16384"});
  expect(number, {"0", "allowed are 1 to 16384", "give 1 or more"});
  expect(number, {"20000", "allowed are 1 to 16384", "give 16384 or less"});
  const auto size = [](const char* text) { return ParseSize("--align", text, {64, 4096}); };
  expect(size, {"x", "--align 'x' is not a size", "write it as in 4096, 64K or 1M"});
  expect(size, {"1", "allowed are 64 to 4K", "give 64 or more"});
  expect(size, {"1M", "allowed are 64 to 4K", "give 4K or less"});
  const auto time = [](const char* text) {
    return ParseDuration("--duration", text, {100, 86'400'000});
  };
  expect(time, {"x", "is not a time", "write it as in 2, 0.5, 200ms or 5m"});
  expect(time, {"0", "allowed are 100ms to 24h", "give 100ms or more"});
  expect(time, {"25h", "allowed are 100ms to 24h", "give 24h or less"});
  const auto rate = [](const char* text) { return ParseRate("--rate", text); };
  expect(rate, {"0bps", "allowed are 1bps to 10Tbps", "give 1bps or more"});
  expect(rate, {"11Gpps", "allowed are 1pps to 10Gpps", "give 10Gpps or less"});
}

class BadSize : public testing::TestWithParam<const char*> {};

TEST_P(BadSize, IsRefusedWithWhatWasGiven) {
  EXPECT_THAT(
      [] {
        ParseSize("--size", GetParam(), {1, 1 << 30});
      },
      ThrowsMessage<Error>(HasSubstr("--size '" + std::string(GetParam()) + "'")));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadSize,
                         testing::Values("", "0", "64x", "x", "k", "-1", "+1", "1.5k", "64 ", " 64",
                                         "64kb", "2G", "99999999999999999999", "18014398509481985K",
                                         "0x40", "1e3"));

TEST(ParseSizes, KeepsTheOrderGiven) {
  EXPECT_THAT(ParseSizes("--size", "1M,64,4k", kAny), ElementsAre(1 << 20, 64, 4096));
}

TEST(ParsePercent, TakesANumberThatIsARankOfSomething) {
  EXPECT_EQ(ParsePercent("--percentiles", "50"), 50.0);
  EXPECT_EQ(ParsePercent("--percentiles", "99.999"), 99.999);
  EXPECT_EQ(ParsePercent("--percentiles", "0.0000001"), 1e-7);
}

TEST(ParsePercent, RefusesWhatIsNone) {
  for (const char* text : {"", "0", "100", "-1", "p50", "50%", "5e1", " 50", "99.99999999"}) {
    EXPECT_THAT([text] { ParsePercent("--percentiles", text); },
                ThrowsMessage<Error>(StartsWith("--percentiles '" + std::string(text) + "'")));
  }
}

TEST(ParseNanoseconds, TakesATimeWithItsUnit) {
  EXPECT_EQ(ParseNanoseconds("--limit-latency", "800ns"), 800.0);
  EXPECT_EQ(ParseNanoseconds("--limit-latency", "1.5us"), 1500.0);
  EXPECT_EQ(ParseNanoseconds("--limit-latency", "2ms"), 2e6);
  EXPECT_EQ(ParseNanoseconds("--limit-latency", "3s"), 3e9);
}

TEST(ParseNanoseconds, RefusesWhatIsNone) {
  for (const char* text : {"", "10", "us", "-1us", "0us", "1e3us", "3601s", "1m", "1 us"}) {
    EXPECT_THROW(ParseNanoseconds("--limit-latency", text), Error) << text;
  }
}

TEST(ParseSizes, RefusesAnEmptyElement) {
  EXPECT_THROW(ParseSizes("--size", "64,,128", kAny), Error);
  EXPECT_THROW(ParseSizes("--size", "64,", kAny), Error);
}

struct SizesCase {
  const char* text;
  std::vector<std::uint64_t> sizes;
};
class GoodSizes : public testing::TestWithParam<SizesCase> {};

TEST_P(GoodSizes, AreRead) {
  EXPECT_EQ(ParseSizes("--size", GetParam().text, kAny), GetParam().sizes);
}

INSTANTIATE_TEST_SUITE_P(
    Ranges, GoodSizes,
    testing::Values(SizesCase{"64:512", {64, 128, 256, 512}},  // the end is hit …
                    SizesCase{"64:511", {64, 128, 256}},       // … or not
                    SizesCase{"3:24", {3, 6, 12, 24}}, SizesCase{"1K:4k", {1024, 2048, 4096}},
                    SizesCase{"64:64", {64}}, SizesCase{"64:256:+64", {64, 128, 192, 256}},
                    SizesCase{"64:255:+64", {64, 128, 192}},
                    SizesCase{"1K:3K:+1K", {1024, 2048, 3072}}, SizesCase{"0:2:+1", {0, 1, 2}},
                    SizesCase{"64:1K:*4", {64, 256, 1024}}, SizesCase{"64:65:+4G", {64}},
                    SizesCase{"2,64:256,1M,5:6:+1", {2, 64, 128, 256, 1 << 20, 5, 6}},
                    SizesCase{"64,64:128", {64, 64, 128}}));

TEST(ParseSizes, DoublesUpToTheLargestNumberWithoutOverflow) {
  constexpr Range kAll{0, std::numeric_limits<std::uint64_t>::max()};
  EXPECT_THAT(ParseSizes("--size", "1:18446744073709551615", kAll), SizeIs(64));
  EXPECT_THAT(ParseSizes("--size", "1:18446744073709551615:+9223372036854775808", kAll),
              ElementsAre(1, (std::uint64_t{1} << 63) + 1));
}

class BadSizes : public testing::TestWithParam<const char*> {};

TEST_P(BadSizes, AreRefusedByTheOption) {
  EXPECT_THAT(
      [] {
        ParseSizes("--size", GetParam(), {0, 1 << 30});
      },
      ThrowsMessage<Error>(StartsWith("--size '")));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadSizes,
                         testing::Values(":", "64:", ":64", "64:128:", "64:128:2", "64:128:+",
                                         "64:128:+0", "64:128:*", "64:128:*0", "64:128:*1",
                                         "64:128:*2K", "64:128:*1.5", "64:128:-64", "64:128:+64:",
                                         "64:128:256:512", "64-128", "64 :128", "64:2G",
                                         "64:128:+2G", "64:128:*18446744073709551616", "64:128,"));

TEST(ParseSizes, SaysWhyARangeIsNone) {
  const auto parse = [](const char* text) { return [text] { ParseSizes("--size", text, kAny); }; };
  EXPECT_THAT(parse("2,128:64"), ThrowsMessage<Error>("--size '128:64' is not a range of sizes: it "
                                                      "ends before it begins"));
  EXPECT_THAT(parse("0:64"), ThrowsMessage<Error>("--size '0:64' is not a range of sizes: 0 stays "
                                                  "0, however often it is multiplied"));
  EXPECT_THAT(parse("64:128:2"),
              ThrowsMessage<Error>("--size '64:128:2' is not a range of sizes: FIRST:LAST, "
                                   "FIRST:LAST:+STEP or FIRST:LAST:*FACTOR"));
}

TEST(ParseSizes, RefusesMoreThanTheMostSizes) {
  EXPECT_THAT(ParseSizes("--size", "1:4K:+1", kAny), SizeIs(kMostSizes));
  for (const char* text : {"1:4097:+1", "64,1:4K:+1", "1:1G:+1"}) {
    EXPECT_THAT([text] { ParseSizes("--size", text, kAny); },
                ThrowsMessage<Error>(AllOf(HasSubstr("--size lists more than 4096 sizes, at '1:"),
                                           HasSubstr(":+1'"))));
  }
  EXPECT_THAT([] { ParseSizes("--size", "1:4K:+1,64", kAny); },
              ThrowsMessage<Error>("--size lists more than 4096 sizes, at '64'"));
}

TEST(ParseNumber, SaysWhatIsAllowed) {
  EXPECT_THAT(
      [] {
        ParseNumber("--port", "99999", {1, 65535});
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("--port '99999'"), HasSubstr("1 to 65535"))));
  EXPECT_THROW(ParseNumber("--qp", "8q", {1, 100}), Error);
}

struct TimeCase {
  const char* text;
  std::int64_t ms;
};
class GoodTime : public testing::TestWithParam<TimeCase> {};

TEST_P(GoodTime, IsRead) {
  EXPECT_EQ(ParseDuration("--duration", GetParam().text, kAny).count(), GetParam().ms);
}

INSTANTIATE_TEST_SUITE_P(Texts, GoodTime,
                         testing::Values(TimeCase{"2", 2000}, TimeCase{"0.5", 500},
                                         TimeCase{"200ms", 200}, TimeCase{"10s", 10000},
                                         TimeCase{"5m", 300000}, TimeCase{"1h", 3600000}));

TEST(ParseDuration, RefusesWhatIsNoTime) {
  for (const char* text : {"", "s", "ms", "2x", "nan", "inf", "-1", "1e3", "2 s"}) {
    EXPECT_THROW(ParseDuration("--duration", text, kAny), Error) << text;
  }
}

struct RateCase {
  const char* text;
  double per_second;
};

class GoodBitRate : public testing::TestWithParam<RateCase> {};

TEST_P(GoodBitRate, IsRead) {
  const Rate rate = ParseRate("--rate", GetParam().text);
  EXPECT_EQ(rate.bits_per_second, GetParam().per_second);
  EXPECT_FALSE(rate.messages_per_second);
}

INSTANTIATE_TEST_SUITE_P(Texts, GoodBitRate,
                         testing::Values(RateCase{"10Gbps", 1e10}, RateCase{"10gbps", 1e10},
                                         RateCase{"10Gb/s", 1e10}, RateCase{"2.5Mbps", 2.5e6},
                                         RateCase{"100Kbps", 1e5}, RateCase{"0.4Tbps", 4e11},
                                         RateCase{"1bps", 1.0}, RateCase{"10Tbps", 1e13},
                                         RateCase{"0.001Kbps", 1.0}));

class GoodMessageRate : public testing::TestWithParam<RateCase> {};

TEST_P(GoodMessageRate, IsRead) {
  const Rate rate = ParseRate("--rate", GetParam().text);
  EXPECT_EQ(rate.messages_per_second, GetParam().per_second);
  EXPECT_FALSE(rate.bits_per_second);
}

INSTANTIATE_TEST_SUITE_P(Texts, GoodMessageRate,
                         testing::Values(RateCase{"1Mpps", 1e6}, RateCase{"250kpps", 2.5e5},
                                         RateCase{"5000pps", 5e3}, RateCase{"1.5M/s", 1.5e6},
                                         RateCase{"7/s", 7.0}, RateCase{"1pps", 1.0},
                                         RateCase{"10Gpps", 1e10}));

class BadRate : public testing::TestWithParam<const char*> {};

TEST_P(BadRate, IsRefusedWithTheFormsThatGo) {
  EXPECT_THAT([] { ParseRate("--rate", GetParam()); },
              ThrowsMessage<Error>("--rate '" + std::string(GetParam()) +
                                   "' is not a rate: bits per second such as 10Gbps, or messages "
                                   "per second such as 2.5Mpps"));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadRate,
                         testing::Values("", "10", "10G", "bps", "Gbps", "pps", "/s", "M/s",
                                         "10 Gbps", " 10Gbps", "10Gbps ", "10Gbpss", "10Gibps",
                                         "10GGbps", "10Gbp", "10GBps", "10GB/s", "10GPPS", "1e3pps",
                                         "0x10pps", "nanpps", "infbps", "1.2.3pps", "1,5Mpps",
                                         "+1pps"));

TEST(ParseRate, SaysWhatIsAllowed) {
  for (const char* text : {"0bps", "0.5bps", "-1Gbps", "10.1Tbps", "11000Gbps"}) {
    EXPECT_THAT([text] { ParseRate("--rate", text); },
                ThrowsMessage<Error>("--rate '" + std::string(text) +
                                     "' is out of range; allowed are 1bps to 10Tbps"));
  }
  for (const char* text : {"0pps", "0.5/s", "11Gpps", "1Tpps"}) {
    EXPECT_THAT([text] { ParseRate("--rate", text); },
                ThrowsMessage<Error>("--rate '" + std::string(text) +
                                     "' is out of range; allowed are 1pps to 10Gpps"));
  }
}

}  // namespace
}  // namespace rdmabench
