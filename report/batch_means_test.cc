#include "report/batch_means.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace rdmabench::report {
namespace {

// scipy.stats.t.ppf(0.975, degrees of freedom), scipy 1.10.1
struct Quantile {
  std::size_t degrees_of_freedom;
  double t;
};
class StudentT : public ::testing::TestWithParam<Quantile> {};

TEST_P(StudentT, AgreesWithScipy) {
  EXPECT_NEAR(StudentT95(GetParam().degrees_of_freedom), GetParam().t, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Known, StudentT,
                         ::testing::Values(Quantile{1, 12.7062047}, Quantile{4, 2.7764451},
                                           Quantile{9, 2.2621572}, Quantile{15, 2.1314495},
                                           Quantile{16, 2.1199053}, Quantile{19, 2.0930241},
                                           Quantile{29, 2.0452296}, Quantile{99, 1.9842170},
                                           Quantile{999, 1.9623415}, Quantile{100000, 1.9599877}));

// Figures of numpy 1.24 and scipy 1.10.1, by the formula.
TEST(MeanIntervalOf, IsWiderWhereNeighboursAreAlike) {
  const auto interval = MeanIntervalOf(std::vector<double>{10, 12, 11, 13, 12, 14, 13, 15, 14, 16});
  ASSERT_TRUE(interval);
  EXPECT_DOUBLE_EQ(interval->mean, 13.0);
  EXPECT_NEAR(interval->correlation, 0.3, 1e-12);
  EXPECT_NEAR(interval->half_width, 1.779855737549, 1e-6);
}

TEST(MeanIntervalOf, IsNotNarrowerWhereNeighboursAreUnlike) {
  const auto interval = MeanIntervalOf(std::vector<double>{10, 14, 10, 14, 10, 14, 10, 14, 10, 14});
  ASSERT_TRUE(interval);
  EXPECT_NEAR(interval->correlation, -0.9, 1e-12);
  EXPECT_NEAR(interval->half_width, 1.508104775161, 1e-6);
}

TEST(MeanIntervalOf, HasNoWidthWhereAllAreEqual) {
  const auto interval = MeanIntervalOf(std::vector<double>(10, 7.0));
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->half_width, 0.0);
  EXPECT_EQ(interval->correlation, 0.0);
}

TEST(MeanIntervalOf, IsAbsentForFewerThanTwo) {
  EXPECT_FALSE(MeanIntervalOf({}));
  EXPECT_FALSE(MeanIntervalOf(std::vector<double>{1.0}));
}

// How often the interval holds the true mean of `batches` of an autoregressive process of order 1.
double Coverage(std::size_t batches, double correlation) {
  constexpr int kRuns = 4000;
  std::mt19937_64 random(20);
  std::normal_distribution<double> noise;
  int held = 0;
  for (int run = 0; run < kRuns; ++run) {
    std::vector<double> values = {noise(random)};
    while (values.size() < batches) {
      values.push_back(correlation * values.back() +
                       std::sqrt(1.0 - correlation * correlation) * noise(random));
    }
    const auto interval = MeanIntervalOf(values);
    if (std::abs(interval->mean) <= interval->half_width) ++held;
  }
  return static_cast<double>(held) / kRuns;
}

TEST(MeanIntervalOf, HoldsTheMeanOfIndependentBatchesIn95Percent) {
  EXPECT_GE(Coverage(10, 0.0), 0.94);
  EXPECT_LE(Coverage(10, 0.0), 0.97);
  EXPECT_GE(Coverage(kMostBatches, 0.0), 0.94);
  EXPECT_LE(Coverage(kMostBatches, 0.0), 0.97);
}

// Without regard to the correlation it would be 89 % and 81 %.
TEST(MeanIntervalOf, HoldsTheMeanOfCorrelatedBatchesNearlyAsOften) {
  EXPECT_GE(Coverage(kMostBatches, 0.2), 0.92);
  EXPECT_GE(Coverage(kMostBatches, 0.4), 0.90);
}

}  // namespace
}  // namespace rdmabench::report
