#include "bench/rate_search.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "bench/open_loop.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::SizeIs;

constexpr std::uint64_t kMostNs = 50'000;
constexpr double kPercentile = 99.0;

// 1,000 messages of which so many took longer than the objective allows.
SideRun RunWith(std::uint64_t slow, std::uint64_t lost = 0, double achieved_share = 1.0) {
  constexpr std::uint64_t kMessages = 1000;
  SideRun run;
  run.round_trips.emplace();
  for (std::uint64_t i = 0; i + lost < kMessages; ++i) {
    run.round_trips->histogram.Record(i < slow ? 2 * kMostNs : kMostNs / 2);
  }
  run.round_trips->lost = lost;
  run.sent = report::Traffic{.messages = kMessages - lost, .bytes = 0, .window_seconds = 1.0};
  run.open_loop.emplace().offered_messages_per_second = kMessages / achieved_share;
  return run;
}

TEST(Holds, WhereThePercentileIsWithinTheLimit) {
  EXPECT_TRUE(Holds(RunWith(10), kPercentile, kMostNs));
  EXPECT_FALSE(Holds(RunWith(11), kPercentile, kMostNs));
}

TEST(Holds, CountsALostAnswerAsLongerThanAny) {
  EXPECT_TRUE(Holds(RunWith(5, 5), kPercentile, kMostNs));
  EXPECT_FALSE(Holds(RunWith(5, 6), kPercentile, kMostNs));
  EXPECT_FALSE(Holds(RunWith(0, 11), kPercentile, kMostNs));
}

TEST(Holds, NotInASaturatedRun) {
  EXPECT_TRUE(Holds(RunWith(0, 0, 0.991), kPercentile, kMostNs));
  EXPECT_FALSE(Holds(RunWith(0, 0, 0.989), kPercentile, kMostNs));
}

TEST(Holds, NotWhereTooFewSamplesTell) {
  EXPECT_TRUE(Holds(RunWith(0), 99.0, kMostNs));
  EXPECT_FALSE(Holds(RunWith(0), 99.1, kMostNs));
}

// Measures the rates that a search asks for on a fabric that holds the objective up to `capacity`.
std::vector<double> Measure(RateSearch& search, double capacity) {
  std::vector<double> rates;
  while (const std::optional<double> rate = search.Next()) {
    rates.push_back(*rate);
    search.Take(RunWith(*rate <= capacity ? 0 : 500));
  }
  return rates;
}

RunOptions Objective(std::vector<std::uint64_t> rates) {
  RunOptions run;
  run.rate_sweep = std::move(rates);
  run.slo_percentile = kPercentile;
  run.slo_ns = kMostNs;
  return run;
}

TEST(RateSearch, MeasuresAListWithoutAnObjectiveInItsOrder) {
  RunOptions run;
  run.rate_sweep = {3000, 1000, 2000};
  RateSearch search(run, 1);
  EXPECT_THAT(Measure(search, 0), ElementsAre(3000, 1000, 2000));
}

struct ListCase {
  double capacity;
  std::vector<double> probes;
  std::optional<double> held;
  std::optional<double> failed;
};
class ListSearch : public ::testing::TestWithParam<ListCase> {};

TEST_P(ListSearch, FindsTheHighestThatHolds) {
  const RunOptions run = Objective({800, 100, 200, 300, 400, 500, 600, 700});
  RateSearch search(run, 1);
  EXPECT_THAT(Measure(search, GetParam().capacity), ElementsAreArray(GetParam().probes));
  EXPECT_EQ(search.highest_held(), GetParam().held);
  EXPECT_EQ(search.lowest_failed(), GetParam().failed);
  EXPECT_EQ(search.probes(), GetParam().probes.size());
}

INSTANTIATE_TEST_SUITE_P(Capacities, ListSearch,
                         ::testing::Values(ListCase{50, {100}, std::nullopt, 100},
                                           ListCase{100, {100, 800, 500, 300, 200}, 100, 200},
                                           ListCase{450, {100, 800, 500, 300, 400}, 400, 500},
                                           ListCase{750, {100, 800, 500, 700}, 700, 800},
                                           ListCase{9000, {100, 800}, 800, std::nullopt}));

class OpenEndedSearch : public ::testing::TestWithParam<double> {};

TEST_P(OpenEndedSearch, FindsTheRateToFivePercentInABoundedNumberOfRuns) {
  const RunOptions run = Objective({});
  RateSearch search(run, 1);
  Measure(search, GetParam());
  ASSERT_TRUE(search.highest_held());
  ASSERT_TRUE(search.lowest_failed());
  EXPECT_LE(*search.highest_held(), GetParam());
  EXPECT_GT(*search.lowest_failed(), GetParam());
  EXPECT_LE(*search.lowest_failed() / *search.highest_held(), 1.05);
  EXPECT_LE(search.probes(), RateSearch::kMostProbes);
}

INSTANTIATE_TEST_SUITE_P(Capacities, OpenEndedSearch,
                         ::testing::Values(1000, 1030, 3999, 123'456, 2e6, 5e7, 9e9));

TEST(RateSearch, SaysThatNoneHolds) {
  const RunOptions run = Objective({});
  RateSearch search(run, 1);
  EXPECT_THAT(Measure(search, 10), SizeIs(1));
  EXPECT_FALSE(search.highest_held());
}

TEST(RateSearch, EndsAtTheHighestRateThatCanBeGiven) {
  const RunOptions run = Objective({});
  RateSearch search(run, 1);
  EXPECT_EQ(Measure(search, 1e12).back(), static_cast<double>(kRateMessages.high));
  EXPECT_FALSE(search.lowest_failed());
}

// A run of 100 ms has to have enough messages for p99.
TEST(RateSearch, BeginsWhereThePercentileCanBeTold) {
  RunOptions run = Objective({});
  run.duration_ms = 100;
  RateSearch search(run, 1);
  EXPECT_GE(*search.Next() * 0.1, SamplesFor(kPercentile));
}

}  // namespace
}  // namespace rdmabench
