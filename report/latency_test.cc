#include "report/latency.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "report/percentile.h"

namespace rdmabench::report {
namespace {

constexpr LatencyBasis kHalf = LatencyBasis::kHalfRoundTrip;
constexpr LatencyBasis kFull = LatencyBasis::kRoundTrip;

// So many samples: 1, 2, 3, … ticks.
Histogram Ramp(std::uint64_t samples) {
  Histogram histogram;
  for (std::uint64_t i = 1; i <= samples; ++i) histogram.Record(i);
  return histogram;
}

std::optional<Latency> Of(const Histogram& histogram, double ns_per_tick, LatencyBasis basis) {
  return LatencyOf(histogram, ns_per_tick, basis, kDefaultPercents);
}

Percentile PercentileOf(std::uint64_t samples, double percent) {
  const std::vector<double> percents = {percent};
  return LatencyOf(Ramp(samples), 1.0, kFull, percents).value().percentiles.at(0);
}

TEST(LatencyOf, IsAbsentForNoSamples) { EXPECT_FALSE(Of(Histogram(), 1.0, kFull).has_value()); }

TEST(LatencyOf, IsInNanoseconds) {
  const Latency latency = Of(Ramp(100), 2.5, kFull).value();
  EXPECT_EQ(latency.basis, "round_trip");
  EXPECT_EQ(latency.samples, 100U);
  EXPECT_DOUBLE_EQ(latency.min_ns, 2.5);
  EXPECT_DOUBLE_EQ(latency.max_ns, 250.0);
  EXPECT_DOUBLE_EQ(latency.mean_ns, 126.25);
  EXPECT_DOUBLE_EQ(FindPercentile(latency, 50)->ns.value(), 125.0);
  EXPECT_DOUBLE_EQ(FindPercentile(latency, 90)->ns.value(), 225.0);
}

TEST(LatencyOf, HalvesEveryFigureOfAMessageInEachDirection) {
  const Latency half = Of(Ramp(1000), 2.0, kHalf).value();
  const Latency full = Of(Ramp(1000), 1.0, kFull).value();
  EXPECT_EQ(half.basis, "half_round_trip");
  EXPECT_EQ(half.samples, full.samples);
  EXPECT_DOUBLE_EQ(half.min_ns, full.min_ns);
  EXPECT_DOUBLE_EQ(half.max_ns, full.max_ns);
  EXPECT_DOUBLE_EQ(half.mean_ns, full.mean_ns);
  EXPECT_DOUBLE_EQ(half.stdev_ns, full.stdev_ns);
  const Percentile& of_half = *FindPercentile(half, 90);
  const Percentile& of_full = *FindPercentile(full, 90);
  EXPECT_DOUBLE_EQ(of_half.ns.value(), of_full.ns.value());
  EXPECT_DOUBLE_EQ(of_half.ci95.value().low_ns, of_full.ci95.value().low_ns);
  EXPECT_DOUBLE_EQ(of_half.ci95.value().high_ns, of_full.ci95.value().high_ns);
  ASSERT_EQ(half.histogram.size(), full.histogram.size());
  EXPECT_DOUBLE_EQ(half.histogram.back().to_ns, full.histogram.back().to_ns);
}

TEST(LatencyOf, HasNoDeviationOfOneSample) {
  EXPECT_EQ(Of(Ramp(1), 1.0, kFull).value().stdev_ns, 0.0);
}

TEST(LatencyOf, HasWhatWasAskedForAndNothingElse) {
  const std::vector<double> percents = {25.0, 99.0};
  const Latency latency = LatencyOf(Ramp(100), 1.0, kFull, percents).value();
  ASSERT_EQ(latency.percentiles.size(), 2U);
  EXPECT_EQ(latency.percentiles[0].ns, 25.0);
  EXPECT_FALSE(latency.percentiles[1].ns.has_value());
  EXPECT_FALSE(latency.percentiles[1].ci95.has_value());
}

struct PercentileCase {
  double percent;
  std::uint64_t enough;  // samples, so that ten lie beyond
};

class Percentiles : public ::testing::TestWithParam<PercentileCase> {};

TEST_P(Percentiles, AreAbsentWhenFewerThanTenSamplesLieBeyond) {
  const auto& [percent, enough] = GetParam();
  EXPECT_FALSE(PercentileOf(enough - 1, percent).ns.has_value());
  EXPECT_TRUE(PercentileOf(enough, percent).ns.has_value());
}

TEST_P(Percentiles, AreTheSampleThatTenAreBeyond) {
  const auto& [percent, enough] = GetParam();
  const double exact = static_cast<double>(enough - 10);
  EXPECT_NEAR(PercentileOf(enough, percent).ns.value(), exact, exact / 1024);
}

INSTANTIATE_TEST_SUITE_P(All, Percentiles,
                         ::testing::Values(PercentileCase{50, 20}, PercentileCase{90, 100},
                                           PercentileCase{99, 1000}, PercentileCase{99.9, 10'000},
                                           PercentileCase{99.99, 100'000},
                                           PercentileCase{99.999, 1'000'000}));

TEST(LatencyOf, HasIntervalsOfPercentilesFromSampleToSample) {
  // Ranks 40 and 61 of 100, of which each sample is its own rank.
  const Percentile median = PercentileOf(100, 50);
  EXPECT_EQ(median.ci95.value().low_ns, 40.0);
  EXPECT_EQ(median.ci95.value().high_ns, 61.0);
}

TEST(LatencyOf, HasIntervalsThatAreAsWideAsBucketsLeaveThem) {
  Histogram histogram;
  histogram.Record(1);
  for (int i = 0; i < 98; ++i) histogram.Record(1'000'000);
  histogram.Record(2'000'000);
  const Percentile median = *FindPercentile(Of(histogram, 1.0, kFull).value(), 50);
  EXPECT_LT(median.ci95.value().low_ns, 1e6);
  EXPECT_GT(median.ci95.value().high_ns, 1e6);
  EXPECT_LT(median.ci95->high_ns - median.ci95->low_ns, 1e6 / 1000);
}

TEST(LatencyOf, ListsTheBucketsThatHoldSamplesInOrder) {
  Histogram histogram;
  histogram.Record(10);
  histogram.Record(10);
  histogram.Record(4096);
  const Latency latency = Of(histogram, 0.5, kFull).value();
  ASSERT_EQ(latency.histogram.size(), 2U);
  EXPECT_DOUBLE_EQ(latency.histogram[0].from_ns, 5.0);
  EXPECT_DOUBLE_EQ(latency.histogram[0].to_ns, 5.0);
  EXPECT_EQ(latency.histogram[0].count, 2U);
  EXPECT_DOUBLE_EQ(latency.histogram[1].from_ns, 2048.0);
  EXPECT_EQ(latency.histogram[1].count, 1U);
}

TEST(LatencyOf, CountsEverySampleInItsHistogram) {
  const Latency latency = Of(Ramp(5000), 1.0, kHalf).value();
  std::uint64_t sum = 0;
  for (const Bucket& bucket : latency.histogram) sum += bucket.count;
  EXPECT_EQ(sum, 5000U);
}

}  // namespace
}  // namespace rdmabench::report
