#include "cmd/quantity.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
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

TEST(ParseSizes, RefusesAnEmptyElement) {
  EXPECT_THROW(ParseSizes("--size", "64,,128", kAny), Error);
  EXPECT_THROW(ParseSizes("--size", "64,", kAny), Error);
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

}  // namespace
}  // namespace rdmabench
