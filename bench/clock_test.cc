#include "bench/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace rdmabench {
namespace {

void SpinFor(std::uint64_t nanoseconds) {
  const std::uint64_t end = ReadSystemClock() + nanoseconds;
  while (ReadSystemClock() < end) {
  }
}

class TickClockTest : public testing::TestWithParam<TickSource> {};

TEST_P(TickClockTest, AgreesWithTheSystemClockToATenthOfAPercent) {
  if (GetParam() == TickSource::kCounter && !CounterIsInvariant()) {
    GTEST_SKIP() << "the processor's counter is not invariant";
  }
  const TickClock clock(GetParam());
  // The two clocks are read one after the other, and the machine may be busy in between: the best
  // of some counts.
  double best = 1.0;
  for (int attempt = 0; attempt < 10 && best > 1e-3; ++attempt) {
    const std::uint64_t from = clock.Now();
    const std::uint64_t from_ns = ReadSystemClock();
    SpinFor(50'000'000);
    const std::uint64_t to = clock.Now();
    const std::uint64_t to_ns = ReadSystemClock();
    const double system_seconds = static_cast<double>(to_ns - from_ns) * 1e-9;
    best = std::min(best, std::abs(clock.Seconds(from, to) / system_seconds - 1.0));
  }
  EXPECT_LE(best, 1e-3);
}

TEST_P(TickClockTest, NeverDividesByAnInstant) {
  const TickClock clock(GetParam());
  const double ns_per_tick = clock.NanosecondsPerTick();
  EXPECT_GT(ns_per_tick, 0.0);
  EXPECT_LT(ns_per_tick, 1e3);
}

INSTANTIATE_TEST_SUITE_P(Sources, TickClockTest,
                         testing::Values(TickSource::kCounter, TickSource::kSystem));

using Moment = TickClock::Moment;

// Two ticks a nanosecond while it was calibrated.
constexpr Moment kStart{.ticks = 1000, .nanoseconds = 7};
constexpr Moment kFrom{.ticks = 200'001'000, .nanoseconds = 100'000'007};

TEST(TickClock, TellsNoDriftOfOneClock) {
  const TickClock system(TickSource::kSystem);
  EXPECT_EQ(system.DriftPpm({.ticks = 0, .nanoseconds = 0}), std::nullopt);
}

TEST(TickClock, TellsNoDriftOfAnInstantNorAfterOne) {
  const Moment soon{.ticks = kFrom.ticks + 1'999'999'998, .nanoseconds = 1'100'000'006};
  EXPECT_EQ(TickClock::DriftPpm(kStart, kFrom, soon), std::nullopt);
  const Moment late{.ticks = kFrom.ticks + 2'000'000'000, .nanoseconds = 1'100'000'007};
  EXPECT_EQ(TickClock::DriftPpm(kFrom, kFrom, late), std::nullopt);
  EXPECT_EQ(TickClock::DriftPpm(kStart, kFrom, late), 0.0);
}

TEST(TickClock, TellsByHowMuchACounterRanFasterThanWhenItWasCalibrated) {
  // Ten seconds, during which it counted a ten-thousandth too much.
  const Moment now{.ticks = kFrom.ticks + 20'002'000'000, .nanoseconds = 10'100'000'007};
  const std::optional<double> drift = TickClock::DriftPpm(kStart, kFrom, now);
  ASSERT_TRUE(drift);
  EXPECT_NEAR(*drift, 100.0, 1e-6);
}

TEST(TickClock, ShowsTheTimeThatATestSays) {
  std::atomic<std::uint64_t> nanoseconds{1'000'000'000};
  const TickClock clock(nanoseconds);
  const std::uint64_t from = clock.Now();
  nanoseconds += 250;
  EXPECT_EQ(clock.Now() - from, 250U);
  EXPECT_EQ(clock.NanosecondsPerTick(), 1.0);
  EXPECT_EQ(clock.source_name(), "simulated");
}

TEST(TickClock, TakesTheCounterOnlyWhereItIsInvariant) {
  EXPECT_EQ(TickClock().source(),
            CounterIsInvariant() ? TickSource::kCounter : TickSource::kSystem);
}

}  // namespace
}  // namespace rdmabench
