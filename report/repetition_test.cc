#include "report/repetition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rdmabench::report {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The largest rank k with 1 - 2 scipy.stats.binom.cdf(k - 1, runs, 0.5) of at least 0.95, and that
// figure; scipy 1.10.1.
struct MedianCase {
  std::size_t runs;
  std::size_t rank;
  double coverage;
};
class MedianRankTest : public ::testing::TestWithParam<MedianCase> {};

TEST_P(MedianRankTest, AgreesWithTheBinomialDistribution) {
  const auto found = MedianRankOf(GetParam().runs);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->rank, GetParam().rank);
  EXPECT_NEAR(found->coverage, GetParam().coverage, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(
    Known, MedianRankTest,
    ::testing::Values(MedianCase{6, 1, 0.968750000000}, MedianCase{7, 1, 0.984375000000},
                      MedianCase{8, 1, 0.992187500000}, MedianCase{9, 2, 0.960937500000},
                      MedianCase{10, 2, 0.978515625000}, MedianCase{12, 3, 0.961425781250},
                      MedianCase{15, 4, 0.964843750000}, MedianCase{20, 6, 0.958610534668},
                      MedianCase{25, 8, 0.956714749336}, MedianCase{30, 10, 0.957226054743},
                      MedianCase{50, 18, 0.967160862436}, MedianCase{100, 40, 0.964799799782},
                      MedianCase{1000, 469, 0.953708802640}));

TEST(MedianRankOf, IsAbsentForFewerThanSix) {
  for (std::size_t runs = 0; runs < 6; ++runs) EXPECT_FALSE(MedianRankOf(runs)) << runs;
}

Result RunOf(std::uint32_t run, std::uint64_t message_bytes, double bytes_per_second) {
  return {.run = run,
          .test = "write_bw",
          .message_bytes = message_bytes,
          .bandwidth = Bandwidth{.bytes_per_second = bytes_per_second}};
}

std::vector<Result> SixRuns() {
  std::vector<Result> results;
  const double rates[] = {50, 10, 40, 20, 60, 30};
  for (std::uint32_t run = 1; run <= 6; ++run) {
    results.push_back(RunOf(run, 64, rates[run - 1]));
    results.push_back(RunOf(run, 4096, 2 * rates[run - 1]));
  }
  return results;
}

TEST(RepetitionsOf, HasTheMedianTheExtremesAndAnIntervalOfEachSize) {
  const auto repetitions = RepetitionsOf(SixRuns());
  ASSERT_THAT(repetitions, SizeIs(2));
  const Repetition& first = repetitions[0];
  EXPECT_EQ(first.test, "write_bw");
  EXPECT_EQ(first.message_bytes, 64U);
  EXPECT_EQ(first.metric, "bandwidth.bytes_per_second");
  EXPECT_EQ(first.median, 35.0);
  EXPECT_EQ(first.min, 10.0);
  EXPECT_EQ(first.max, 60.0);
  ASSERT_TRUE(first.interval);
  EXPECT_EQ(first.interval->low, 10.0);
  EXPECT_EQ(first.interval->high, 60.0);
  EXPECT_EQ(first.interval->coverage, 0.96875);
  EXPECT_THAT(first.results, ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_EQ(repetitions[1].median, 70.0);
}

TEST(RepetitionsOf, HasNoIntervalForFewerThanSixRuns) {
  std::vector<Result> results = SixRuns();
  results.resize(10);
  const auto repetitions = RepetitionsOf(results);
  ASSERT_THAT(repetitions, SizeIs(2));
  EXPECT_FALSE(repetitions[0].interval);
  EXPECT_EQ(repetitions[0].median, 40.0);
}

TEST(RepetitionsOf, DoesNotCountARunThatBrokeOff) {
  std::vector<Result> results = SixRuns();
  results.back().complete = false;
  const auto repetitions = RepetitionsOf(results);
  EXPECT_THAT(repetitions[0].results, SizeIs(6));
  EXPECT_THAT(repetitions[1].results, SizeIs(5));
}

TEST(RepetitionsOf, KeepsTestsApart) {
  std::vector<Result> results = SixRuns();
  for (std::size_t i = 0; i < results.size(); i += 4) results[i].plan_index = 1;
  const auto repetitions = RepetitionsOf(results);
  ASSERT_THAT(repetitions, SizeIs(3));
  EXPECT_THAT(repetitions[0].results, ElementsAre(0, 4, 8));
  EXPECT_EQ(repetitions[0].plan_index, 1U);
}

TEST(RepetitionsOf, HasTheMedianAndTheTailOfLatency) {
  std::vector<Result> results;
  for (std::uint32_t run = 1; run <= 3; ++run) {
    results.push_back({.run = run, .test = "send_lat", .latency = Latency{}});
    results.back().latency->percentiles = {{.percent = 50.0, .ns = 100.0 * run},
                                           {.percent = 99.0, .ns = 500.0 - 100.0 * run}};
  }
  auto repetitions = RepetitionsOf(results);
  ASSERT_THAT(repetitions, SizeIs(2));
  EXPECT_EQ(repetitions[0].metric, "latency.p50_ns");
  EXPECT_EQ(repetitions[0].median, 200.0);
  EXPECT_EQ(repetitions[1].metric, "latency.p99_ns");
  EXPECT_EQ(repetitions[1].median, 300.0);
  results[1].latency->percentiles[1].ns.reset();
  EXPECT_THAT(RepetitionsOf(results), SizeIs(1)) << "a figure that a run does not have";
}

TEST(RepetitionsOf, IsEmptyWhereTheTestsRanOnce) {
  std::vector<Result> results = SixRuns();
  for (Result& result : results) result.run.reset();
  EXPECT_THAT(RepetitionsOf(results), IsEmpty());
}

}  // namespace
}  // namespace rdmabench::report
