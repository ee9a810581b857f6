#include "report/steadiness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <vector>

namespace rdmabench::report {
namespace {

constexpr double kSlice = 0.02;

// A count each 20 ms that grows at `rate`, which may depend on the time.
std::vector<ProgressSample> Growing(std::size_t slices, const std::function<double(double)>& rate) {
  std::vector<ProgressSample> samples{{}};
  double messages = 0.0;
  for (std::size_t i = 0; i < slices; ++i) {
    messages += rate((static_cast<double>(i) + 0.5) * kSlice) * kSlice;
    samples.push_back(
        {static_cast<double>(i + 1) * kSlice, static_cast<std::uint64_t>(std::llround(messages))});
  }
  return samples;
}

double Even(double /*seconds*/) { return 1e6; }

TEST(IsFlat, OfAnEvenRate) { EXPECT_TRUE(IsFlat(Growing(10, Even))); }

TEST(IsFlat, NotBeforeThereAreTenSlices) { EXPECT_FALSE(IsFlat(Growing(9, Even))); }

TEST(IsFlat, NotWhileTheRateClimbs) {
  EXPECT_FALSE(IsFlat(Growing(10, [](double seconds) { return 1e6 * (1.0 + seconds); })));
}

TEST(IsFlat, NotWhileTheRateFalls) {
  EXPECT_FALSE(IsFlat(Growing(10, [](double seconds) { return 1e6 * (1.0 - seconds); })));
}

TEST(IsFlat, WhereItClimbsByLessThanTwoPercentInAll) {
  EXPECT_TRUE(IsFlat(Growing(10, [](double seconds) { return 1e6 * (1.0 + 0.05 * seconds); })));
}

TEST(IsFlat, LooksAtTheLastTenSlicesOnly) {
  const auto settles = [](double seconds) { return seconds < 0.3 ? 1e6 * seconds : 3e5; };
  EXPECT_FALSE(IsFlat(Growing(15, settles)));
  EXPECT_TRUE(IsFlat(Growing(25, settles)));
}

TEST(IsFlat, OfARateThatIsNoisyButGoesNowhere) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(1e6, 2e5);
  int flat = 0;
  for (int run = 0; run < 1000; ++run) {
    if (IsFlat(Growing(10, [&](double) { return noise(random); }))) ++flat;
  }
  // 95 % of them are, and the few others a slice or two later.
  EXPECT_GE(flat, 925);
  EXPECT_LE(flat, 975);
}

TEST(IsFlat, NotWhereNothingMoves) {
  EXPECT_FALSE(IsFlat(Growing(10, [](double) { return 0.0; })));
}

TEST(IsFlat, NotWhereTimeStandsStill) {
  EXPECT_FALSE(IsFlat(std::vector<ProgressSample>(11, ProgressSample{1.0, 5})));
}

}  // namespace
}  // namespace rdmabench::report
