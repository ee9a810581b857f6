#include "bench/policies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>

namespace rdmabench {
namespace {

// An uptime in ticks of a fast counter, so that sums with it would round.
constexpr std::uint64_t kStart = std::uint64_t{1} << 58;

// Takes all posts that are due at `now`; how many.
template <class Arrivals>
std::uint64_t TakeAll(Schedule<Arrivals>& schedule, std::uint64_t now) {
  std::uint64_t posts = 0;
  for (; schedule.IsDue(now); ++posts) schedule.Take();
  return posts;
}

TEST(Schedule, BeginsWithTheFirstQuestion) {
  Schedule<> schedule({.ticks_per_message = 100.0});
  EXPECT_TRUE(schedule.IsDue(kStart));
  schedule.Take();
  EXPECT_FALSE(schedule.IsDue(kStart + 99));
  EXPECT_TRUE(schedule.IsDue(kStart + 100));
}

TEST(Schedule, StaysDueUntilThePostIsTaken) {
  Schedule<> schedule({.ticks_per_message = 100.0});
  EXPECT_TRUE(schedule.IsDue(kStart));
  EXPECT_TRUE(schedule.IsDue(kStart + 1));
  schedule.Take();
  EXPECT_FALSE(schedule.IsDue(kStart + 2));
}

TEST(Schedule, KeepsItsRateExactlyOverALongRun) {
  Schedule<> schedule({.ticks_per_message = 12.5});
  std::uint64_t posts = 0;
  for (std::uint64_t elapsed = 0; elapsed <= 10'000'000; elapsed += 7) {
    posts += TakeAll(schedule, kStart + elapsed);
    // floor(k * 12.5) <= elapsed, for k from 0.
    ASSERT_EQ(posts, (elapsed * 2 + 1) / 25 + 1);
  }
}

TEST(Schedule, CatchesUpWithWhatWasLate) {
  Schedule<> schedule({.ticks_per_message = 100.0});
  TakeAll(schedule, kStart);
  EXPECT_EQ(TakeAll(schedule, kStart + 1050), 10U);
  EXPECT_FALSE(schedule.IsDue(kStart + 1099));
  EXPECT_TRUE(schedule.IsDue(kStart + 1100));
}

TEST(Schedule, DoesNotDriftWithinAThousandMillionMessages) {
  constexpr double kTicks = 2.7183;
  constexpr std::uint32_t kList = 1000;
  Schedule<> schedule({.ticks_per_message = kTicks, .post_list = kList});
  schedule.IsDue(kStart);
  for (std::uint64_t messages = kList; messages <= 1'000'000'000; messages += kList) {
    schedule.Take();
    const auto due = static_cast<std::uint64_t>(static_cast<long double>(kTicks) *
                                                static_cast<long double>(messages));
    ASSERT_FALSE(schedule.IsDue(kStart + due - 1)) << messages;
    ASSERT_TRUE(schedule.IsDue(kStart + due + 1)) << messages;
  }
}

TEST(Schedule, SendsABurstAtOnceAndThenWaitsForAllOfIt) {
  Schedule<> schedule({.ticks_per_message = 10.0, .post_list = 2, .burst = 8});
  EXPECT_EQ(TakeAll(schedule, kStart), 4U);
  EXPECT_FALSE(schedule.IsDue(kStart + 79));
  EXPECT_EQ(TakeAll(schedule, kStart + 80), 4U);
}

TEST(Schedule, TakesAPostForABurstWhereTheBurstIsSmaller) {
  Schedule<> schedule({.ticks_per_message = 10.0, .post_list = 4, .burst = 1});
  EXPECT_EQ(TakeAll(schedule, kStart), 1U);
  EXPECT_FALSE(schedule.IsDue(kStart + 39));
  EXPECT_TRUE(schedule.IsDue(kStart + 40));
}

// A limit that says what it is told, and counts its questions.
struct Gate {
  bool MayPost(std::uint32_t /*lane*/, std::uint64_t /*posted*/) const {
    ++*asked;
    return *open;
  }
  const bool* open;
  int* asked;
};

constexpr double kForEver = 1e15;

class ScheduledTest : public ::testing::Test {
 protected:
  const TickClock clock_{TickSource::kSystem};
  bool open_ = true;
  int asked_ = 0;
  Scheduled<Gate> pace_{{.ticks_per_message = kForEver}, 1, clock_, Gate{&open_, &asked_}};
};

TEST_F(ScheduledTest, PostsWhenBothAgree) {
  EXPECT_TRUE(pace_.MayPost(0, 0));
  EXPECT_EQ(asked_, 1);
}

// A yes of the limit is taken, so it must not be asked in vain.
TEST_F(ScheduledTest, DoesNotAskTheLimitBeforeItIsTime) {
  pace_.MayPost(0, 0);
  EXPECT_FALSE(pace_.MayPost(0, 1));
  EXPECT_EQ(asked_, 1);
}

TEST_F(ScheduledTest, KeepsItsTurnWhileTheLimitSaysNo) {
  open_ = false;
  EXPECT_FALSE(pace_.MayPost(0, 0));
  EXPECT_FALSE(pace_.MayPost(0, 0));
  open_ = true;
  EXPECT_TRUE(pace_.MayPost(0, 0));
  EXPECT_FALSE(pace_.MayPost(0, 1));
}

TEST(Scheduled, LetsEachLaneHaveItsShare) {
  constexpr double kTicks = 20'000;  // nanoseconds
  constexpr std::uint32_t kLanes = 4;
  const TickClock clock(TickSource::kSystem);
  Scheduled<Unpaced> pace({.ticks_per_message = kTicks, .lanes = kLanes}, kLanes, clock, Unpaced{});
  std::vector<std::uint64_t> posts(kLanes);
  while (posts[0] < 50) {
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      if (pace.MayPost(lane, posts[lane])) ++posts[lane];
    }
  }
  EXPECT_THAT(posts, ::testing::Each(::testing::AllOf(::testing::Ge(48U), ::testing::Le(51U))));
}

// A thousand messages at random: their number has a standard deviation of 32.
TEST(Schedule, KeepsItsRateAtRandom) {
  constexpr double kTicks = 12.5;
  Schedule<Poisson> schedule({.ticks_per_message = kTicks, .seed = 9});
  std::uint64_t posts = 0;
  for (std::uint64_t now = kStart; now < kStart + 12'500; ++now) posts += TakeAll(schedule, now);
  EXPECT_NEAR(static_cast<double>(posts), 1000.0, 4 * 32.0);
}

TEST(Scheduled, PostsAsManyAsTheClockSaysAreDue) {
  constexpr std::uint64_t kNanoseconds = 5000;
  const TickClock clock(TickSource::kSystem);
  Scheduled<Unpaced> pace({.ticks_per_message = kNanoseconds}, 1, clock, Unpaced{});
  const std::uint64_t before = clock.Now();
  ASSERT_TRUE(pace.MayPost(0, 0));
  const std::uint64_t after = clock.Now();
  std::uint64_t posts = 1;
  while (posts < 200) posts += pace.MayPost(0, posts) ? 1 : 0;
  const std::uint64_t asked = clock.Now();
  while (pace.MayPost(0, posts)) ++posts;
  EXPECT_GE(posts * kNanoseconds, asked - after);
  EXPECT_LE((posts - 1) * kNanoseconds, clock.Now() - before);
}

}  // namespace
}  // namespace rdmabench
