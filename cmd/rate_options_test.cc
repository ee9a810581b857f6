#include "cmd/rate_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::ElementsAre;
using testing::SizeIs;
using testing::StartsWith;
using testing::ThrowsMessage;

TEST(RateSweep, IsAListOrARangeOrBoth) {
  EXPECT_THAT(ParseRateSweep("--rate-sweep", "2Kpps,1Kpps"), ElementsAre(2000, 1000));
  EXPECT_THAT(ParseRateSweep("--rate-sweep", "1Kpps:3500pps:1Kpps"), ElementsAre(1000, 2000, 3000));
  EXPECT_THAT(ParseRateSweep("--rate-sweep", "5pps,10pps:20pps:10pps"), ElementsAre(5, 10, 20));
  EXPECT_THAT(ParseRateSweep("--rate-sweep", "7pps:7pps:1pps"), ElementsAre(7));
  EXPECT_THAT(ParseRateSweep("--rate-sweep", "1pps:1024pps:1pps"), SizeIs(kMostRates));
}

class BadSweep : public testing::TestWithParam<const char*> {};

TEST_P(BadSweep, IsRefused) {
  EXPECT_THAT([] { ParseRateSweep("--rate-sweep", GetParam()); },
              ThrowsMessage<Error>(StartsWith("--rate-sweep")));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadSweep,
                         testing::Values("", "1000", "1Gbps", "1Kpps,", "1Kpps:2Kpps",
                                         "1Kpps:2Kpps:", "1Kpps:2Kpps:0pps", "2Kpps:1Kpps:1Kpps",
                                         "1Kpps:2Kpps:1Kpps:1Kpps", "1pps:1025pps:1pps"));

TEST(ParseObjective, ReadsPercentileAndLimit) {
  const Objective objective = ParseObjective("--slo", "p99.9=1.5us");
  EXPECT_EQ(objective.percentile, 99.9);
  EXPECT_EQ(objective.most_ns, 1500U);
}

class BadObjective : public testing::TestWithParam<const char*> {};

TEST_P(BadObjective, IsRefused) {
  EXPECT_THAT([] { ParseObjective("--slo", GetParam()); },
              ThrowsMessage<Error>(StartsWith("--slo")));
}

INSTANTIATE_TEST_SUITE_P(Texts, BadObjective,
                         testing::Values("", "p99", "99=50us", "p=50us", "pp=50us",
                                         "p99=", "p99=50", "p99=-1us", "p9x=50us", "max=50us",
                                         "p99=50us,p50=1us"));

}  // namespace
}  // namespace rdmabench
