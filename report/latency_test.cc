#include "report/latency.h"

#include <gtest/gtest.h>

#include <string>

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

TEST(LatencyOf, IsAbsentForNoSamples) {
  EXPECT_FALSE(LatencyOf(Histogram(), 1.0, kFull).has_value());
}

TEST(LatencyOf, IsInNanoseconds) {
  const Latency latency = LatencyOf(Ramp(100), 2.5, kFull).value();
  EXPECT_EQ(latency.basis, "round_trip");
  EXPECT_EQ(latency.samples, 100U);
  EXPECT_DOUBLE_EQ(latency.min_ns, 2.5);
  EXPECT_DOUBLE_EQ(latency.max_ns, 250.0);
  EXPECT_DOUBLE_EQ(latency.mean_ns, 126.25);
  EXPECT_DOUBLE_EQ(latency.p50_ns.value(), 125.0);
  EXPECT_DOUBLE_EQ(latency.p90_ns.value(), 225.0);
}

TEST(LatencyOf, HalvesEveryFigureOfAMessageInEachDirection) {
  const Latency half = LatencyOf(Ramp(1000), 2.0, kHalf).value();
  const Latency full = LatencyOf(Ramp(1000), 1.0, kFull).value();
  EXPECT_EQ(half.basis, "half_round_trip");
  EXPECT_EQ(half.samples, full.samples);
  EXPECT_DOUBLE_EQ(half.min_ns, full.min_ns);
  EXPECT_DOUBLE_EQ(half.max_ns, full.max_ns);
  EXPECT_DOUBLE_EQ(half.mean_ns, full.mean_ns);
  EXPECT_DOUBLE_EQ(half.stdev_ns, full.stdev_ns);
  EXPECT_DOUBLE_EQ(half.p99_ns.value(), full.p99_ns.value());
  ASSERT_EQ(half.histogram.size(), full.histogram.size());
  EXPECT_DOUBLE_EQ(half.histogram.back().to_ns, full.histogram.back().to_ns);
}

TEST(LatencyOf, HasNoDeviationOfOneSample) {
  EXPECT_EQ(LatencyOf(Ramp(1), 1.0, kFull).value().stdev_ns, 0.0);
}

struct PercentileCase {
  std::string name;
  std::optional<double> Latency::*member;
  std::uint64_t enough;  // samples, so that ten lie beyond
};

class Percentiles : public ::testing::TestWithParam<PercentileCase> {};

TEST_P(Percentiles, AreAbsentWhenFewerThanTenSamplesLieBeyond) {
  const auto& [name, member, enough] = GetParam();
  EXPECT_FALSE((LatencyOf(Ramp(enough - 1), 1.0, kFull).value().*member).has_value());
  EXPECT_TRUE((LatencyOf(Ramp(enough), 1.0, kFull).value().*member).has_value());
}

TEST_P(Percentiles, AreTheSampleThatTenAreBeyond) {
  const auto& [name, member, enough] = GetParam();
  const double exact = static_cast<double>(enough - 10);
  EXPECT_NEAR((LatencyOf(Ramp(enough), 1.0, kFull).value().*member).value(), exact, exact / 1024);
}

INSTANTIATE_TEST_SUITE_P(Rows, Percentiles,
                         ::testing::Values(PercentileCase{"p50", &Latency::p50_ns, 20},
                                           PercentileCase{"p90", &Latency::p90_ns, 100},
                                           PercentileCase{"p99", &Latency::p99_ns, 1000},
                                           PercentileCase{"p99_9", &Latency::p99_9_ns, 10'000},
                                           PercentileCase{"p99_99", &Latency::p99_99_ns, 100'000}),
                         [](const auto& row) { return row.param.name; });

TEST(LatencyOf, ListsTheBucketsThatHoldSamplesInOrder) {
  Histogram histogram;
  histogram.Record(10);
  histogram.Record(10);
  histogram.Record(4096);
  const Latency latency = LatencyOf(histogram, 0.5, kFull).value();
  ASSERT_EQ(latency.histogram.size(), 2U);
  EXPECT_DOUBLE_EQ(latency.histogram[0].from_ns, 5.0);
  EXPECT_DOUBLE_EQ(latency.histogram[0].to_ns, 5.0);
  EXPECT_EQ(latency.histogram[0].count, 2U);
  EXPECT_DOUBLE_EQ(latency.histogram[1].from_ns, 2048.0);
  EXPECT_EQ(latency.histogram[1].count, 1U);
}

TEST(LatencyOf, CountsEverySampleInItsHistogram) {
  const Latency latency = LatencyOf(Ramp(5000), 1.0, kHalf).value();
  std::uint64_t sum = 0;
  for (const Bucket& bucket : latency.histogram) sum += bucket.count;
  EXPECT_EQ(sum, 5000U);
}

}  // namespace
}  // namespace rdmabench::report
