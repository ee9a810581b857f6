#include "bench/turns.h"

#include <gtest/gtest.h>

#include <vector>

#include "bench/clock.h"
#include "bench/mean_turn.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kDepth = 10;
constexpr RingShape kLongQueue{.message_bytes = 65536, .window = 128};

class TurnsTest : public testing::Test {
 protected:
  // A turn ends at `freed`, and the host needs `refill` to fill the queue.
  void Turn(std::uint64_t freed, std::uint64_t refill, bool is_taken = true) {
    now_ns_ = freed + refill;
    probe_.Turned(0, freed, is_taken);
  }

  std::atomic<std::uint64_t> now_ns_{0};
  TickClock clock_{now_ns_};
  FollowTurns probe_{2, kLongQueue, clock_};
};

TEST_F(TurnsTest, CountTheRefillOfATurnWhenItHasEnded) {
  Turn(1000, 50);
  EXPECT_EQ(probe_.turns()[0].count, 1U);
  EXPECT_EQ(probe_.turns()[0].refill_ticks, 0U);
  Turn(2000, 70);
  EXPECT_EQ(probe_.turns()[0].count, 2U);
  EXPECT_EQ(probe_.turns()[0].refill_ticks, 50U);
  EXPECT_EQ(probe_.turns()[0].last_ticks, 2000U);
  EXPECT_EQ(probe_.turns()[1].count, 0U);
}

TEST_F(TurnsTest, CountAPlaceThatWasNotTakenAtOnceAsStarved) {
  Turn(1000, 50, false);
  Turn(2000, 0);
  EXPECT_EQ(probe_.turns()[0].refill_ticks, 0U);
  EXPECT_EQ(probe_.turns()[0].starved, 1U);
}

TEST_F(TurnsTest, OfAShortQueueAreNotLookedAtOneByOne) {
  probe_ = FollowTurns(1, {.message_bytes = 65536, .window = 4}, clock_);
  EXPECT_EQ(probe_.messages_a_look(), 16U);
  Turn(1000, 50);
  Turn(2000, 0);
  EXPECT_EQ(probe_.turns()[0].count, 8U);
  EXPECT_EQ(probe_.turns()[0].refill_ticks, 4 * 50U);
}

TEST_F(TurnsTest, OfShortMessagesAreLookedAtLessOften) {
  const auto look = [this](std::uint32_t message_bytes, std::uint32_t window) {
    const RingShape shape{.message_bytes = message_bytes, .window = window};
    return FollowTurns(1, shape, clock_).messages_a_look();
  };
  EXPECT_EQ(look(65536, 10), 10U);
  EXPECT_EQ(look(65536, 128), 128U);
  EXPECT_EQ(look(1024, 50), 100U);
  EXPECT_EQ(look(0, 128), 1024U);
}

// Two queue pairs, one of which is twice as fast, in a window from 1000 to 101'000 ns.
class MeanTurnTest : public testing::Test {
 protected:
  MeanTurnTest() {
    JobRun& run = runs_.emplace_back();
    run.sent.start_ticks = 1000;
    run.sent.end_ticks = 101'000;
    run.sent.per_queue_pair = {1000, 2000};
    run.sent.turns = {{.count = 100, .last_ticks = 101'000, .refill_ticks = 100 * 10},
                      {.count = 200, .last_ticks = 101'000, .refill_ticks = 200 * 10}};
  }
  std::optional<report::QueueTurn> Mean() const { return MeanTurn(runs_, kDepth, clock_); }

  std::vector<JobRun> runs_;
  std::atomic<std::uint64_t> now_ns_{0};
  TickClock clock_{now_ns_};
};

TEST_F(MeanTurnTest, TimesTheRateIsTheDepthOfAllQueuePairs) {
  ASSERT_TRUE(Mean());
  EXPECT_DOUBLE_EQ(3000 / 100'000.0 * Mean()->turn_ns, 2.0 * kDepth);
  EXPECT_DOUBLE_EQ(Mean()->refill_ns, 10.0);
}

TEST_F(MeanTurnTest, IsNotKnownWhereMuchCameAfterTheLastTurn) {
  runs_[0].sent.turns[1].last_ticks = 99'900;
  EXPECT_FALSE(Mean());
  runs_[0].sent.turns[1].last_ticks = 100'100;
  EXPECT_TRUE(Mean());
  runs_[0].sent.turns[0].count = 98;
  EXPECT_FALSE(Mean());
}

TEST_F(MeanTurnTest, IsNotKnownOfAQueueThatWasNotKeptFull) {
  runs_[0].sent.turns[0].starved = 1;
  EXPECT_TRUE(Mean());
  runs_[0].sent.turns[0].starved = 2;
  EXPECT_FALSE(Mean());
}

TEST_F(MeanTurnTest, IsNotKnownWhereNoneWereFollowed) {
  runs_[0].sent.turns.clear();
  EXPECT_FALSE(Mean());
}

}  // namespace
}  // namespace rdmabench
