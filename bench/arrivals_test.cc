#include "bench/arrivals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace rdmabench {
namespace {

using ::testing::DoubleEq;
using ::testing::ElementsAre;
using ::testing::ElementsAreArray;
using ::testing::Not;

template <class Arrivals>
std::vector<double> Times(Arrivals arrivals, std::size_t count) {
  std::vector<double> times;
  for (std::size_t i = 0; i < count; ++i) times.push_back(arrivals.Next());
  return times;
}

// The first outputs for seed 0, as the authors' own program prints them.
TEST(SplitMix64, IsTheOneThatWasPublished) {
  SplitMix64 random(0);
  EXPECT_EQ(random.Next(), 0xe220a8397b1dcdafU);
  EXPECT_EQ(random.Next(), 0x6e789e6aa1b965f4U);
  EXPECT_EQ(random.Next(), 0x06c45d188009454fU);
}

TEST(Even, KeepsItsDistance) {
  EXPECT_THAT(Times(Even({.mean_ticks = 2.5}), 4), ElementsAre(0.0, 2.5, 5.0, 7.5));
}

TEST(Even, LetsTheLanesTakeTurnsOnBothSides) {
  EXPECT_THAT(Times(Even({.mean_ticks = 8.0, .lane = 3, .lanes = 4}), 2), ElementsAre(6.0, 14.0));
  EXPECT_THAT(Times(Even({.mean_ticks = 8.0, .lane = 7, .lanes = 4}), 2), ElementsAre(6.0, 14.0));
}

TEST(Even, DoesNotDrift) {
  Even arrivals({.mean_ticks = 0.1});
  for (int i = 0; i < 10'000'000; ++i) arrivals.Next();
  EXPECT_THAT(arrivals.Next(), DoubleEq(1'000'000.0));
}

// Of n exponential gaps the mean has a standard error of 1/sqrt(n), and the variance, whose fourth
// central moment is 9, one of sqrt(8/n), both relative to the true ones.
class PoissonGaps : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(PoissonGaps, HaveTheMeanAndTheVarianceOfAnExponential) {
  constexpr std::size_t kGaps = 1'000'000;
  constexpr double kMean = 250.0;
  constexpr double kErrors = 4.0;
  const std::vector<double> times =
      Times(Poisson({.mean_ticks = kMean, .seed = GetParam()}), kGaps);
  double sum = 0, squares = 0, products = 0, before = 0, last = 0;
  for (const double time : times) {
    const double gap = (time - last) / kMean;
    ASSERT_GE(gap, 0.0);
    sum += gap;
    squares += (gap - 1) * (gap - 1);
    products += (gap - 1) * before;
    before = gap - 1;
    last = time;
  }
  const double error = 1 / std::sqrt(static_cast<double>(kGaps));
  EXPECT_NEAR(sum / kGaps, 1.0, kErrors * error);
  EXPECT_NEAR(squares / kGaps, 1.0, kErrors * std::sqrt(8.0) * error);
  EXPECT_NEAR(products / kGaps, 0.0, kErrors * error) << "gaps depend on the ones before";
}

INSTANTIATE_TEST_SUITE_P(Seeds, PoissonGaps, ::testing::Values(0, 1, 2, ~std::uint64_t{0}));

// P(gap > t) = e^-t: Kolmogorov and Smirnov's distance, whose 0.1 % point is 1.95 / sqrt(n).
TEST(Poisson, HasGapsThatFollowTheExponentialDistribution) {
  constexpr std::size_t kGaps = 100'000;
  const std::vector<double> times = Times(Poisson({.mean_ticks = 1.0, .seed = 5}), kGaps);
  std::vector<double> gaps;
  double last = 0;
  for (const double time : times) gaps.push_back(time - std::exchange(last, time));
  std::sort(gaps.begin(), gaps.end());
  double distance = 0;
  for (std::size_t i = 0; i < kGaps; ++i) {
    const double below = static_cast<double>(i) / kGaps;
    distance = std::max(distance, std::abs(1 - std::exp(-gaps[i]) - below));
  }
  EXPECT_LT(distance, 1.95 / std::sqrt(static_cast<double>(kGaps)));
}

// Counts in equal intervals of a Poisson process have a variance that is their mean.
TEST(Poisson, IsOneAgainWhereSeveralLanesComeTogether) {
  constexpr std::uint32_t kLanes = 8;
  constexpr std::size_t kIntervals = 10'000;
  constexpr double kPerInterval = 16.0;
  std::vector<double> counts(kIntervals);
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
    Poisson arrivals(
        {.mean_ticks = kLanes / kPerInterval, .lane = lane, .lanes = kLanes, .seed = 3});
    for (double at = arrivals.Next(); at < kIntervals; at = arrivals.Next()) {
      ++counts[static_cast<std::size_t>(at)];
    }
  }
  double sum = 0, squares = 0;
  for (const double count : counts) sum += count;
  const double mean = sum / kIntervals;
  for (const double count : counts) squares += (count - mean) * (count - mean);
  EXPECT_NEAR(mean, kPerInterval, 4 * std::sqrt(kPerInterval / kIntervals));
  EXPECT_NEAR(squares / (kIntervals - 1) / mean, 1.0, 4 * std::sqrt(2.0 / kIntervals));
}

TEST(Poisson, RepeatsItselfForASeedAndForNoOther) {
  const std::vector<double> times = Times(Poisson({.mean_ticks = 1.0, .seed = 1}), 100);
  EXPECT_THAT(Times(Poisson({.mean_ticks = 1.0, .seed = 1}), 100), ElementsAreArray(times));
  EXPECT_THAT(Times(Poisson({.mean_ticks = 1.0, .seed = 2}), 100), Not(ElementsAreArray(times)));
  EXPECT_THAT(Times(Poisson({.mean_ticks = 1.0, .lane = 1, .lanes = 2, .seed = 1}), 100),
              Not(ElementsAreArray(times)));
}

}  // namespace
}  // namespace rdmabench
