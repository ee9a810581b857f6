#include "cmd/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cmd/options.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::ThrowsMessage;

Limiting Parsed(const std::vector<std::string>& args) { return ParseOptions(args).limiting; }

report::Report Measured() {
  report::Report report;
  report::Result& bandwidth = report.results.emplace_back();
  bandwidth.test = "write_bw";
  bandwidth.message_bytes = 64;
  bandwidth.bandwidth = report::Bandwidth{.bytes_per_second = 1e9, .messages_per_second = 2e6};
  report::Result& latency = report.results.emplace_back();
  latency.test = "send_lat";
  latency.message_bytes = 2;
  latency.latency = report::Latency{
      .mean_ns = 2000.0, .percentiles = {{99, 9000.0}, {99.9, {}}}, .max_ns = 50'000.0};
  return report;
}

TEST(LimitOptions, AreTakenWithTheirUnits) {
  const Limiting limiting =
      Parsed({"write_bw", "a", "--limit-bw", "90Gbps", "-y", "2.5Mpps", "--strict"});
  EXPECT_EQ(limiting.least_bits_per_second, 90e9);
  EXPECT_EQ(limiting.least_messages_per_second, 2.5e6);
  EXPECT_TRUE(limiting.strict);
  const Limiting latency = Parsed({"send_lat", "a", "--limit-latency", "p99=10us,max=1.5ms"});
  ASSERT_EQ(latency.most_latency.size(), 2U);
  EXPECT_EQ(latency.most_latency[0].figure, "p99");
  EXPECT_EQ(latency.most_latency[0].percent, 99.0);
  EXPECT_EQ(latency.most_latency[0].most_ns, 1e4);
  EXPECT_EQ(latency.most_latency[1].most_ns, 1.5e6);
  EXPECT_FALSE(latency.most_latency[1].percent.has_value());
  EXPECT_NO_THROW(
      Parsed({"send_lat", "a", "--percentiles", "99.5", "--limit-latency", "p99.5=1s"}));
}

struct Refused {
  std::vector<std::string> args;
  std::string words;
};

class RefusedLimit : public testing::TestWithParam<Refused> {};

TEST_P(RefusedLimit, NamesTheOptionAndWhatIsWrong) {
  EXPECT_THAT([] { ParseOptions(GetParam().args); },
              ThrowsMessage<Error>(HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedLimit,
    testing::Values(
        Refused{{"write_bw", "a", "--limit-bw", "2Mpps"},
                "--limit-bw '2Mpps' is not bits per second"},
        Refused{{"write_bw", "a", "--limit-rate", "1Gbps"},
                "--limit-rate '1Gbps' is not messages per second"},
        Refused{{"write_bw", "a", "--limit-bw", "90"}, "with their unit, such as 90Gbps"},
        Refused{{"write_lat", "a", "--limit-bw", "1Gbps"}, "--limit-bw does not go with write_lat"},
        Refused{{"write_bw", "a", "--limit-latency", "p99=1us"},
                "--limit-latency does not go with write_bw"},
        Refused{{"write_lat", "a", "--limit-latency", "p98=1us"},
                "--limit-latency p98 needs that percentile of write_lat"},
        Refused{{"write_lat", "a", "--limit-latency", "p99=1us", "--percentiles", "50"},
                "--limit-latency p99 needs that percentile of write_lat"},
        Refused{{"write_lat", "a", "--limit-latency", "q99=1us"}, "'q99=1us'"},
        Refused{{"write_lat", "a", "--limit-latency", "p=1us"}, "is not a percentile"},
        Refused{{"write_lat", "a", "--limit-latency", "p100=1us"}, "out of range"},
        Refused{{"write_lat", "a", "--limit-latency", "p99=1us,p99.0=1us"}, "two limits for p99"},
        Refused{{"write_lat", "a", "--limit-latency", "p99"}, "'p99'"},
        Refused{{"write_lat", "a", "--limit-latency", "p99=1us,"}, "''"},
        Refused{{"write_lat", "a", "--limit-latency", "p99=10"},
                "--limit-latency p99 '10' is not a time"},
        Refused{{"write_lat", "a", "--limit-latency", "p99=1us,p99=2us"}, "two limits for p99"},
        Refused{{"write_lat", "a", "--limit-latency", "p99=0us"}, "out of range"}));

TEST(Limits, BecomeChecksOfTheResultsTheyApplyTo) {
  report::Report report = Measured();
  const Limiting limiting{.strict = false,
                          .least_bits_per_second = 8e9,
                          .least_messages_per_second = 2.1e6,
                          .most_latency = {{"p99", 99.0, 9000.0}, {"max", {}, 10'000.0}}};
  ApplyLimits(limiting, report);
  const std::vector<report::Check>& bandwidth = report.results[0].checks;
  ASSERT_EQ(bandwidth.size(), 2U);
  EXPECT_TRUE(bandwidth[0].ok) << "exactly the limit";
  EXPECT_THAT(bandwidth[0].figures,
              ElementsAre(Pair("least_bits_per_second", 8e9), Pair("found_bits_per_second", 8e9)));
  EXPECT_FALSE(bandwidth[1].ok);
  const std::vector<report::Check>& latency = report.results[1].checks;
  ASSERT_EQ(latency.size(), 2U);
  EXPECT_TRUE(latency[0].ok);
  EXPECT_FALSE(latency[1].ok);
  EXPECT_THAT(Violations(report),
              ElementsAre("write_bw at 64 B: limit_rate: below the limit "
                          "(least_messages_per_second 2.1e+06, found_messages_per_second 2e+06)",
                          "send_lat at 2 B: limit_latency_max: above the limit "
                          "(most_ns 10000, found_ns 50000)"));
  EXPECT_THAT(Failures(limiting, report), Not(IsEmpty()));
}

TEST(Limits, AreNotMetByWhatTooFewSamplesBack) {
  report::Report report = Measured();
  const Limiting limiting{.most_latency = {{"p99.9", 99.9, 1e9}}};
  ApplyLimits(limiting, report);
  EXPECT_THAT(Violations(report),
              ElementsAre("send_lat at 2 B: limit_latency_p99_9: too few samples to tell "
                          "(most_ns 1e+09)"));
  EXPECT_THAT(Failures(limiting, report), Not(IsEmpty()));
}

TEST(Limits, DoNotJudgeWhatWasBrokenOff) {
  report::Report report = Measured();
  report.results[0].complete = false;
  ApplyLimits({.least_bits_per_second = 1e15}, report);
  EXPECT_THAT(report.results[0].checks, IsEmpty());
}

TEST(Verdict, AlwaysTakesAMessageThatIsNotWhatWasSentForAFailure) {
  report::Report report = Measured();
  report.results[0].checks = {{.name = "content_as_sent", .ok = false}};
  EXPECT_THAT(Failures({}, report), Not(IsEmpty()));
  report.results[0].checks[0].ok = true;
  EXPECT_THAT(Failures({}, report), IsEmpty());
}

TEST(Verdict, TakesAFailedCheckForAFailureOnlyWhenStrict) {
  report::Report report = Measured();
  report.results[0].checks = {{.name = "received_as_sent", .ok = false}};
  EXPECT_THAT(Failures({}, report), IsEmpty());
  EXPECT_THAT(Failures({.strict = true}, report), Not(IsEmpty()));
  report.results[0].checks[0].ok = true;
  EXPECT_THAT(Failures({.strict = true}, report), IsEmpty());
}

TEST(Verdict, NamesWhatFailsWhereNoWarningHas) {
  EXPECT_THAT(VerdictOf({"one"}, false).remedy(), HasSubstr("the warnings above"));
  const Error quiet = VerdictOf({"one", "two", "three"}, true);
  EXPECT_EQ(quiet.blame(), Blame::kVerdict);
  EXPECT_THAT(quiet.what(), HasSubstr("holds: one, and 2 more"));
  EXPECT_THAT(quiet.remedy(), Not(HasSubstr("warning")));
}

}  // namespace
}  // namespace rdmabench
