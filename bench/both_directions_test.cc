#include "bench/both_directions.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

#include "bench/run_checks.h"

namespace rdmabench {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
// The server's clock is 100 s ahead.
constexpr report::ClockOffset kOffset{.seconds = 100.0, .error_seconds = 1e-4};

report::Traffic Moved(double seconds, double rate) {
  return {.messages = static_cast<std::uint64_t>(std::llround(seconds * rate)),
          .window_seconds = seconds};
}

// Posts from `opened` on, by its own clock, evenly.
SideRun Sender(double opened, double seconds, double rate) {
  SideRun side;
  side.sent = Moved(seconds, rate);
  side.sent_opened_ns = static_cast<std::uint64_t>(opened * kSecond);
  for (double at = 0.05; at < seconds; at += 0.05) {
    side.samples.push_back({at, static_cast<std::uint64_t>(std::llround(at * rate))});
  }
  return side;
}

TEST(BothDirections, AreSummedOverTheWindowThatTheyShare) {
  const BothDirections both =
      SumOf(Sender(10.0, 2.0, 1000), Sender(110.3, 2.0, 500), false, kOffset);
  EXPECT_TRUE(both.shared.used);
  EXPECT_NEAR(both.window_seconds, 1.7, 1e-6);
  EXPECT_NEAR(both.shared.share, 0.85, 1e-6);
  EXPECT_NEAR(static_cast<double>(both.messages), 1.7 * 1500, 2.0);
  EXPECT_GE(both.samples.size(), 30U);
}

TEST(BothDirections, AreSummedByArrivalsWhereMessagesMayGetLost) {
  SideRun client = Sender(10.0, 2.0, 1000);
  SideRun server = Sender(110.0, 2.0, 1000);
  // The first message comes 0.1 s after the side's own first post, which its samples count from.
  for (SideRun* side : {&client, &server}) {
    side->received = Moved(1.9, 400);
    side->received_opened_ns = side->sent_opened_ns + kSecond / 10;
    side->samples.clear();
    for (double at = 0.1; at < 2.0; at += 0.05) {
      side->samples.push_back({at, static_cast<std::uint64_t>(std::llround((at - 0.1) * 400))});
    }
  }
  const BothDirections both = SumOf(client, server, true, kOffset);
  EXPECT_NEAR(both.window_seconds, 1.9, 1e-6);
  EXPECT_EQ(both.messages, 2U * 760U);
  for (const report::ProgressSample& sample : both.samples) {
    EXPECT_NEAR(static_cast<double>(sample.messages), sample.seconds * 800, 3.0);
  }
}

// All of both, from the first post to the last completion.
TEST(BothDirections, AreAllThatWasMovedWhereNothingIsShared) {
  const BothDirections both =
      SumOf(Sender(10.0, 1.0, 1000), Sender(113.0, 2.0, 500), false, kOffset);
  EXPECT_FALSE(both.shared.used);
  EXPECT_EQ(both.shared.seconds, 0.0);
  EXPECT_EQ(both.messages, 2000U);
  EXPECT_NEAR(both.window_seconds, 5.0, 1e-6);
  EXPECT_TRUE(both.samples.empty());
}

TEST(BothDirections, AreAllThatWasMovedWhereTheClocksAreTooUncertain) {
  const report::ClockOffset vague{.seconds = 100.0, .error_seconds = 0.1};
  const BothDirections both = SumOf(Sender(10.0, 2.0, 1000), Sender(110.0, 2.0, 500), false, vague);
  EXPECT_FALSE(both.shared.used);
  EXPECT_EQ(both.messages, 3000U);
}

// The check of it, with the directions `apart` seconds from each other.
report::Check Overlap(double apart) {
  report::Result result;
  result.clock_offset = kOffset;
  result.shared_window =
      SumOf(Sender(10.0, 2.0, 1000), Sender(110.0 + apart, 2.0, 500), false, kOffset).shared;
  return DirectionsOverlap(result).value_or(report::Check{});
}

TEST(DirectionsOverlap, HoldsWhereNineTenthsAreShared) {
  EXPECT_TRUE(Overlap(0.0).ok);
  EXPECT_TRUE(Overlap(0.19).ok);
  EXPECT_EQ(Overlap(0.19).name, "directions_overlap");
}

TEST(DirectionsOverlap, DoesNotWhereLessIsShared) {
  EXPECT_FALSE(Overlap(0.21).ok);
  EXPECT_FALSE(Overlap(3.0).ok);
  EXPECT_NE(Overlap(0.21).text, Overlap(3.0).text);
}

TEST(DirectionsOverlap, SaysNothingOfOneDirection) { EXPECT_FALSE(DirectionsOverlap({})); }

// A sender of `rate` messages a second, of which 1,000 were asked for.
report::Result Paced(double rate, double seconds = 2.0) {
  report::Result result;
  result.queue_pairs = 1;
  result.effective.planned_messages_per_second = 1000.0;
  result.effective.burst = 1;
  result.effective.arrival = "const";
  result.traffic.emplace_back().sent = Moved(seconds, rate);
  return result;
}

TEST(RateIsKept, HoldsWithinAPercent) {
  EXPECT_TRUE(RateIsKept(Paced(1000))->ok);
  EXPECT_TRUE(RateIsKept(Paced(990))->ok);
  EXPECT_FALSE(RateIsKept(Paced(985))->ok);
  EXPECT_FALSE(RateIsKept(Paced(1020))->ok);
}

TEST(RateIsKept, TellsASlowSenderFromAFastOne) {
  EXPECT_NE(RateIsKept(Paced(985))->text.find("slower"), std::string::npos);
  EXPECT_EQ(RateIsKept(Paced(1020))->text.find("slower"), std::string::npos);
  EXPECT_NE(RateIsKept(Paced(1020))->text.find("more was sent"), std::string::npos);
}

TEST(RateIsKept, BearsThatRandomArrivalsVary) {
  report::Result result = Paced(940);
  EXPECT_FALSE(RateIsKept(result)->ok);
  result.effective.arrival = "poisson";
  EXPECT_TRUE(RateIsKept(result)->ok);
  result.traffic[0].sent = Moved(2.0, 850);
  EXPECT_FALSE(RateIsKept(result)->ok);
}

TEST(RateIsKept, TellsTheSlowerOfTwoSenders) {
  report::Result result = Paced(1000);
  result.traffic.emplace_back().sent = Moved(2.0, 500);
  const std::optional<report::Check> check = RateIsKept(result);
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->ok);
  EXPECT_EQ(check->figures.back().second, 500.0);
}

TEST(RateIsKept, SaysNothingWithoutARateOrOfAnInstant) {
  EXPECT_FALSE(RateIsKept(Paced(500, 0.5)));
  report::Result result = Paced(1000);
  result.effective.planned_messages_per_second.reset();
  EXPECT_FALSE(RateIsKept(result));
}

TEST(IntervalIsNarrow, HoldsWhereItGotAsNarrowAsAskedFor) {
  report::Result result;
  EXPECT_FALSE(IntervalIsNarrow(result));
  result.until = report::Until{.ci_percent = 1.0, .max_seconds = 60.0, .reached = true};
  ASSERT_TRUE(IntervalIsNarrow(result));
  EXPECT_TRUE(IntervalIsNarrow(result)->ok);
  result.until->reached = false;
  result.until->half_width_percent = 2.5;
  EXPECT_FALSE(IntervalIsNarrow(result)->ok);
  EXPECT_EQ(IntervalIsNarrow(result)->figures.back().second, 2.5);
}

}  // namespace
}  // namespace rdmabench
