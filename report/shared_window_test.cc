#include "report/shared_window.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rdmabench::report {
namespace {

// Evenly `rate` messages a second, sampled each 50 ms.
Track Even(double opened, double seconds, double rate) {
  Track track{.opened_seconds = opened,
              .window_seconds = seconds,
              .messages = static_cast<std::uint64_t>(std::llround(seconds * rate))};
  for (double at = 0.05; at < seconds; at += 0.05) {
    track.samples.push_back({at, static_cast<std::uint64_t>(std::llround(at * rate))});
  }
  return track;
}

TEST(SharedPartOf, CountsWhatBothMovedWhileBothWereUnderWay) {
  const auto part = SharedPartOf(Even(10.0, 2.0, 1000), Even(10.3, 2.0, 500));
  ASSERT_TRUE(part);
  EXPECT_NEAR(part->seconds, 1.7, 1e-9);
  EXPECT_NEAR(part->share, 0.85, 1e-9);
  EXPECT_NEAR(static_cast<double>(part->messages), 1.7 * 1500, 2.0);
}

TEST(SharedPartOf, DoesNotDependOnTheOrder) {
  const Track one = Even(10.0, 2.0, 1000);
  const Track other = Even(10.3, 1.0, 500);
  const auto part = SharedPartOf(one, other);
  const auto turned = SharedPartOf(other, one);
  ASSERT_TRUE(part && turned);
  EXPECT_EQ(part->messages, turned->messages);
  EXPECT_EQ(part->seconds, turned->seconds);
  EXPECT_NEAR(part->share, 0.5, 1e-9) << "of the longer one";
}

// The rate of the second half is twice that of the first, and only that half is shared.
TEST(SharedPartOf, TakesWhatWasMovedInItAndNotTheMean) {
  Track one{.opened_seconds = 0.0, .window_seconds = 2.0, .messages = 3000};
  for (int i = 1; i < 40; ++i) {
    const double at = i * 0.05;
    one.samples.push_back({at, static_cast<std::uint64_t>(
                                   std::llround(at < 1.0 ? at * 1000 : 1000 + (at - 1.0) * 2000))});
  }
  const auto part = SharedPartOf(one, Even(1.0, 1.0, 100));
  ASSERT_TRUE(part);
  EXPECT_NEAR(static_cast<double>(part->messages), 2100.0, 2.0);
}

TEST(SharedPartOf, HasTheSamplesOfBothTogether) {
  const auto part = SharedPartOf(Even(10.0, 2.0, 1000), Even(10.3, 2.0, 500));
  ASSERT_TRUE(part);
  ASSERT_GE(part->samples.size(), 30U);
  for (const ProgressSample& sample : part->samples) {
    EXPECT_GT(sample.seconds, 0.0);
    EXPECT_LT(sample.seconds, part->seconds);
    EXPECT_NEAR(static_cast<double>(sample.messages), sample.seconds * 1500, 3.0);
  }
}

TEST(SharedPartOf, IsAbsentWhereOneWasOverBeforeTheOtherBegan) {
  EXPECT_FALSE(SharedPartOf(Even(10.0, 1.0, 1000), Even(11.0, 1.0, 1000)));
  EXPECT_FALSE(SharedPartOf(Even(12.0, 1.0, 1000), Even(10.0, 1.0, 1000)));
  EXPECT_FALSE(SharedPartOf({}, Even(10.0, 1.0, 1000)));
}

}  // namespace
}  // namespace rdmabench::report
