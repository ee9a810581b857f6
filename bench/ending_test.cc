#include "bench/ending.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace rdmabench {
namespace {

constexpr double kNsPerMs = 1e6;

// A clock whose ticks are nanoseconds.
class EndingTest : public testing::Test {
 protected:
  // Goes on for `ms` at `rate` messages a second, sampled each `every_ms`.
  void Run(int ms, int every_ms, double rate) {
    for (int at = 0; at < ms; at += every_ms) {
      messages_ += rate * every_ms * 1e-3;
      ticks_ += static_cast<std::uint64_t>(every_ms * kNsPerMs);
      const auto counted = static_cast<std::uint64_t>(std::llround(messages_));
      samples_.push_back({.ticks = ticks_, .messages = 2 * counted, .counted = counted});
    }
  }

  const TickClock clock_{TickSource::kSystem};
  std::uint64_t ticks_ = 1'000'000'000;
  double messages_ = 500.0;  // before the first sample
  std::vector<Sample> samples_;
};

TEST_F(EndingTest, AWarmUpIsSteadyOnceTheRateStaysAsItIs) {
  SteadyRate steady(clock_);
  for (int step = 1; step <= 15; ++step) {
    Run(20, 20, 1e5 * step);
    EXPECT_FALSE(steady.IsEnough(samples_)) << step;
  }
  EXPECT_FALSE(steady.reached());
  Run(200, 20, 1.5e6);
  EXPECT_TRUE(steady.IsEnough(samples_));
  EXPECT_TRUE(steady.reached());
}

TEST_F(EndingTest, AWarmUpIsNotSteadyWithoutSamples) {
  SteadyRate steady(clock_);
  EXPECT_FALSE(steady.IsEnough({}));
}

TEST_F(EndingTest, AnIntervalOfASteadyRateIsNarrowAfterTenIntervals) {
  NarrowInterval narrow(clock_, 1.0, 1);
  Run(990, 10, 1e6);
  EXPECT_FALSE(narrow.IsEnough(samples_));
  EXPECT_FALSE(narrow.half_width_percent());
  Run(510, 10, 1e6);
  ASSERT_EQ(samples_.size(), 150U);
  EXPECT_TRUE(narrow.IsEnough(samples_));
  EXPECT_LE(narrow.half_width_percent().value_or(100.0), 0.01);
}

TEST_F(EndingTest, AnIntervalIsNotLookedAtAtEverySample) {
  NarrowInterval narrow(clock_, 1.0, 1);
  Run(1600, 10, 1e6);
  EXPECT_FALSE(narrow.IsEnough(samples_));
}

// 10 % from interval to interval: 1 % of the mean takes about 400 of them.
TEST_F(EndingTest, AnIntervalOfANoisyRateTakesItsTime) {
  NarrowInterval narrow(clock_, 1.0, 1);
  std::mt19937_64 random(3);
  std::normal_distribution<double> noise(1e6, 1e5);
  int looks = 0;
  while (!narrow.IsEnough(samples_) && samples_.size() < 8000) {
    Run(100, 10, noise(random));
    ++looks;
  }
  EXPECT_TRUE(narrow.reached());
  EXPECT_LE(narrow.half_width_percent().value_or(100.0), 1.0);
  EXPECT_GE(looks, 150);
}

TEST_F(EndingTest, AnIntervalThatIsNotNarrowYetIsToldAllTheSame) {
  NarrowInterval narrow(clock_, 1.0, 1);
  for (int i = 0; i < 15; ++i) Run(100, 10, i % 3 == 0 ? 1e6 : 2e6);
  EXPECT_FALSE(narrow.IsEnough(samples_));
  EXPECT_GT(narrow.half_width_percent().value_or(0.0), 5.0);
}

}  // namespace
}  // namespace rdmabench
