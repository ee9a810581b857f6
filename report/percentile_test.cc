#include "report/percentile.h"

#include <gtest/gtest.h>

#include <string>

namespace rdmabench::report {
namespace {

TEST(IsPercentile, IsTrueOfWhatHasARank) {
  for (const double percent : {50.0, 99.9, 99.99, 99.999, 0.1, 1e-7, 99.9999999, 33.3333333}) {
    EXPECT_TRUE(IsPercentile(percent)) << percent;
  }
  for (const double percent : {0.0, 100.0, -1.0, 1e-8, 99.99999995, 33.33333335, 1e300}) {
    EXPECT_FALSE(IsPercentile(percent)) << percent;
  }
  EXPECT_FALSE(IsPercentile(std::stod("nan")));
}

TEST(PercentileName, IsThatOfTheDecimalNumber) {
  EXPECT_EQ(PercentileName(50.0), "p50");
  EXPECT_EQ(PercentileName(99.9), "p99.9");
  EXPECT_EQ(PercentileName(99.9999999), "p99.9999999");
}

struct Ranked {
  double percent;
  std::uint64_t samples;
  std::uint64_t rank;
};

class Rank : public ::testing::TestWithParam<Ranked> {};

TEST_P(Rank, IsTheSmallestThatTheShareDoesNotExceed) {
  EXPECT_EQ(NearestRank(GetParam().percent, GetParam().samples), GetParam().rank);
}

// Exact where doubles are not: 99.9 / 100 * 10^6 is 999000.0000000001 in them.
INSTANTIATE_TEST_SUITE_P(Known, Rank,
                         ::testing::Values(Ranked{50, 1, 1}, Ranked{50, 2, 1}, Ranked{50, 3, 2},
                                           Ranked{7, 100, 7}, Ranked{99, 1000, 990},
                                           Ranked{99, 1001, 991}, Ranked{99.9, 1'000'000, 999'000},
                                           Ranked{99.99, 100'000, 99'990},
                                           Ranked{99.9999999, 10'000'000'000, 9'999'999'990},
                                           Ranked{1e-7, 10, 1}));

TEST(IsBacked, NeedsTenSamplesBeyondOnTheSideOfTheTail) {
  EXPECT_FALSE(IsBacked(99, 999));
  EXPECT_TRUE(IsBacked(99, 1000));
  EXPECT_FALSE(IsBacked(1, 999));
  EXPECT_TRUE(IsBacked(1, 1000));
  EXPECT_FALSE(IsBacked(50, 19));
  EXPECT_TRUE(IsBacked(50, 20));
}

struct Known {
  double percent;
  std::uint64_t samples;
  std::uint64_t low, high;
};

class Interval : public ::testing::TestWithParam<Known> {};

TEST_P(Interval, AgreesWithScipy) {
  const auto ranks = Interval95(GetParam().percent, GetParam().samples);
  ASSERT_TRUE(ranks.has_value());
  EXPECT_EQ(ranks->low, GetParam().low);
  EXPECT_EQ(ranks->high, GetParam().high);
}

// binom.ppf(0.025, samples, percent / 100) and binom.ppf(0.975, …) + 1 of scipy.stats 1.10.1; with
// 6 samples of a median it is the textbook's smallest interval.
INSTANTIATE_TEST_SUITE_P(
    Ranks, Interval,
    ::testing::Values(Known{50, 6, 1, 6}, Known{50, 20, 6, 15}, Known{50, 100, 40, 61},
                      Known{90, 100, 84, 96}, Known{99, 1'000, 983, 997},
                      Known{99.9, 10'000, 9'983, 9'997}, Known{99.99, 1'000'000, 999'880, 999'920},
                      Known{1, 1'000, 4, 18}, Known{50, 100'000'000, 49'990'200, 50'009'801},
                      Known{99.999, 1'000'000'000, 999'989'804, 999'990'197},
                      Known{99, 10'000'000'000, 9'899'980'498, 9'900'019'502}));

TEST(Interval95, IsAbsentWhereItWouldNeedSamplesBeyondTheExtremes) {
  EXPECT_FALSE(Interval95(50, 0).has_value());
  EXPECT_FALSE(Interval95(50, 5).has_value());
  EXPECT_TRUE(Interval95(50, 6).has_value());
  EXPECT_FALSE(Interval95(99, 367).has_value());
  EXPECT_TRUE(Interval95(99, 368).has_value());
}

}  // namespace
}  // namespace rdmabench::report
