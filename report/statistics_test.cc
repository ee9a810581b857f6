#include "report/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace rdmabench::report {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint64_t kMessageBytes = 4096;

// Counts `rate` messages per second each 50 ms, over `seconds`.
std::vector<ProgressSample> Steady(double rate, double seconds) {
  std::vector<ProgressSample> samples;
  for (int tick = 1; tick * 0.05 < seconds; ++tick) {
    samples.push_back({tick * 0.05, static_cast<std::uint64_t>(std::llround(rate * tick * 0.05))});
  }
  return samples;
}

Measurement Over(std::span<const ProgressSample> samples, double rate, double seconds) {
  const auto messages = static_cast<std::uint64_t>(std::llround(rate * seconds));
  return {.messages = messages,
          .bytes = messages * kMessageBytes,
          .window_seconds = seconds,
          .samples = samples,
          .rules = {}};
}

std::vector<Interval> IntervalsWith(const std::vector<std::uint64_t>& messages) {
  std::vector<Interval> intervals;
  for (const std::uint64_t count : messages) {
    intervals.push_back({0.5 * static_cast<double>(intervals.size()), 0.5, count});
  }
  return intervals;
}

std::uint64_t Sum(const std::vector<Interval>& intervals) {
  std::uint64_t sum = 0;
  for (const Interval& interval : intervals) sum += interval.messages;
  return sum;
}

TEST(EqualIntervals, CutsTwoSecondsIntoTwentyOf100Milliseconds) {
  const auto samples = Steady(100000, 2.0);
  const auto intervals = EqualIntervals(Over(samples, 100000, 2.0));
  ASSERT_THAT(intervals, SizeIs(20));
  for (const Interval& interval : intervals) {
    EXPECT_DOUBLE_EQ(interval.seconds, 0.1);
    EXPECT_EQ(interval.messages, 10000u);
  }
  EXPECT_DOUBLE_EQ(intervals.back().start_seconds, 1.9);
}

TEST(EqualIntervals, CutsTheWholeWindowWhenItIsNoMultipleOfTheMinimum) {
  const auto samples = Steady(100000, 1.57);
  const auto intervals = EqualIntervals(Over(samples, 100000, 1.57));
  ASSERT_THAT(intervals, SizeIs(15));
  EXPECT_DOUBLE_EQ(intervals.back().start_seconds + intervals.back().seconds, 1.57);
}

TEST(EqualIntervals, CountsEveryMessageOnceAlsoWhenSamplesFallBetweenTheCuts) {
  std::vector<ProgressSample> samples;
  for (int i = 1; i < 60; ++i) samples.push_back({i * 0.0337, static_cast<std::uint64_t>(i) * 997});
  Measurement measurement{
      .messages = 59999, .bytes = 0, .window_seconds = 2.03, .samples = samples, .rules = {}};
  EXPECT_EQ(Sum(EqualIntervals(measurement)), 59999u);
}

TEST(EqualIntervals, AreLongEnoughFor100SignallingGroups) {
  const auto samples = Steady(10000, 4.0);
  Measurement measurement = Over(samples, 10000, 4.0);
  measurement.rules.signal_every = 20;  // 100 groups are 2000 messages: 200 ms
  EXPECT_THAT(EqualIntervals(measurement), SizeIs(20));
}

TEST(EqualIntervals, AreLongEnoughForTheLongestGapBetweenSamples) {
  auto samples = Steady(100000, 4.0);
  samples.erase(samples.begin() + 10, samples.begin() + 13);  // 200 ms without a sample
  EXPECT_THAT(EqualIntervals(Over(samples, 100000, 4.0)), SizeIs(20));
}

TEST(EqualIntervals, AreTenInAWindowThatJustFitsTen) {
  const auto samples = Steady(100000, 1.0);
  EXPECT_THAT(EqualIntervals(Over(samples, 100000, 1.0)), SizeIs(10));
}

TEST(EqualIntervals, AreAbsentWhenFewerThanTenFit) {
  const auto samples = Steady(100000, 0.99);
  EXPECT_THAT(EqualIntervals(Over(samples, 100000, 0.99)), IsEmpty());
}

TEST(EqualIntervals, AreAbsentWithoutSamples) {
  EXPECT_THAT(EqualIntervals(Over({}, 100000, 60.0)), IsEmpty());
}

TEST(EqualIntervals, AreAbsentWhenNothingMoved) {
  const auto samples = Steady(0, 2.0);
  EXPECT_THAT(EqualIntervals(Over(samples, 0, 2.0)), IsEmpty());
}

TEST(EqualIntervals, AreAtMostAThousandInALongRun) {
  const auto samples = Steady(100000, 500.0);
  EXPECT_THAT(EqualIntervals(Over(samples, 100000, 500.0)), SizeIs(1000));
}

TEST(Batches, AreTheIntervalsOfAShortWindowAndAtMostThirtyOfALongOne) {
  const auto samples = Steady(100000, 60.0);
  EXPECT_THAT(Batches(Over(samples, 100000, 2.0)), SizeIs(20));
  const auto batches = Batches(Over(samples, 100000, 60.0));
  EXPECT_THAT(batches, SizeIs(30));
  EXPECT_EQ(Sum(batches), 6000000u);
}

TEST(EqualIntervals, KeepAStall) {
  auto samples = Steady(100000, 2.0);
  for (std::size_t i = 20; i < samples.size(); ++i) {
    samples[i].messages -= 10000;  // nothing moves from 1.0 s to 1.1 s
    if (i < 22) samples[i].messages = samples[19].messages;
  }
  Measurement measurement = Over(samples, 100000, 2.0);
  measurement.messages -= 10000;
  const auto intervals = EqualIntervals(measurement);
  ASSERT_THAT(intervals, SizeIs(20));
  EXPECT_EQ(intervals[10].messages, 0u);
  EXPECT_EQ(intervals[11].messages, 10000u);
}

TEST(EqualIntervals, IgnoreSamplesOutsideTheWindowAndOutOfOrder) {
  auto samples = Steady(100000, 2.0);
  samples.insert(samples.begin(), {{-1.0, 7}, {0.0, 9}});
  samples.insert(samples.begin() + 8, {0.01, 3});
  samples.push_back({2.5, 999999});
  const auto intervals = EqualIntervals(Over(samples, 100000, 2.0));
  ASSERT_THAT(intervals, SizeIs(20));
  EXPECT_EQ(intervals.front().messages, 10000u);
  EXPECT_EQ(intervals.back().messages, 10000u);
}

TEST(EqualIntervals, NeverRunBackwardsWhenACountDoes) {
  auto samples = Steady(100000, 2.0);
  samples[10].messages = 1;
  samples[30].messages = 5000000;
  EXPECT_EQ(Sum(EqualIntervals(Over(samples, 100000, 2.0))), 200000u);
}

// numpy.mean, numpy.std(ddof=1) and scipy.stats.t.interval(0.95, 9, mean, stdev / sqrt(10)) of the
// rates.
TEST(Summarize, AgreesWithScipy) {
  const auto intervals = IntervalsWith({1000, 1010, 990, 1005, 995, 1020, 980, 1000, 1003, 997});
  const auto spread = Summarize(intervals, intervals, 1.0);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->interval_count, 10u);
  EXPECT_DOUBLE_EQ(spread->interval_seconds, 0.5);
  EXPECT_DOUBLE_EQ(spread->min_bytes_per_second, 1960.0);
  EXPECT_DOUBLE_EQ(spread->peak_bytes_per_second, 2040.0);
  EXPECT_NEAR(spread->stdev_bytes_per_second, 21.786846, 1e-6);
  EXPECT_NEAR(spread->ci95_low_bytes_per_second, 1984.414629, 1e-5);
  EXPECT_NEAR(spread->ci95_high_bytes_per_second, 2015.585371, 1e-5);
}

TEST(Summarize, HasNoSpreadWhenAllIntervalsAreEqual) {
  const auto intervals = IntervalsWith(std::vector<std::uint64_t>(10, 500));
  const auto spread = Summarize(intervals, intervals, 1.0);
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->stdev_bytes_per_second, 0.0);
  EXPECT_EQ(spread->ci95_low_bytes_per_second, 1000.0);
  EXPECT_EQ(spread->ci95_high_bytes_per_second, 1000.0);
}

TEST(Summarize, IsAbsentForFewerThanTwoIntervals) {
  EXPECT_FALSE(Summarize({}, {}, 1.0));
  EXPECT_FALSE(Summarize(IntervalsWith({1000}), IntervalsWith({1000}), 1.0));
}

TEST(BandwidthOf, IsMessagesTimesBytesOverSeconds) {
  const auto samples = Steady(100000, 2.0);
  const auto bandwidth = BandwidthOf(Over(samples, 100000, 2.0));
  ASSERT_TRUE(bandwidth);
  EXPECT_DOUBLE_EQ(bandwidth->messages_per_second, 100000.0);
  EXPECT_DOUBLE_EQ(bandwidth->bytes_per_second, 100000.0 * kMessageBytes);
}

TEST(BandwidthOf, LiesInTheMiddleOfItsConfidenceInterval) {
  auto samples = Steady(100000, 2.0);
  for (std::size_t i = 0; i < samples.size(); i += 3) samples[i].messages += 700;
  const auto bandwidth = BandwidthOf(Over(samples, 100000, 2.0));
  ASSERT_TRUE(bandwidth && bandwidth->spread);
  EXPECT_GT(bandwidth->spread->stdev_bytes_per_second, 0.0);
  EXPECT_NEAR((bandwidth->spread->ci95_low_bytes_per_second +
               bandwidth->spread->ci95_high_bytes_per_second) /
                  2,
              bandwidth->bytes_per_second, 1e-3);
}

TEST(BandwidthOf, HasNoSpreadInAShortWindow) {
  const auto samples = Steady(100000, 0.5);
  const auto bandwidth = BandwidthOf(Over(samples, 100000, 0.5));
  ASSERT_TRUE(bandwidth);
  EXPECT_FALSE(bandwidth->spread);
}

TEST(BandwidthOf, IsZeroWhenNothingMoved) {
  const auto bandwidth =
      BandwidthOf({.messages = 0, .bytes = 0, .window_seconds = 2.0, .samples = {}, .rules = {}});
  ASSERT_TRUE(bandwidth);
  EXPECT_EQ(bandwidth->bytes_per_second, 0.0);
}

TEST(BandwidthOf, IsAbsentWithoutAWindow) {
  EXPECT_FALSE(
      BandwidthOf({.messages = 5, .bytes = 5, .window_seconds = 0.0, .samples = {}, .rules = {}}));
}

}  // namespace
}  // namespace rdmabench::report
