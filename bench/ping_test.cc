#include "bench/ping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <deque>

#include "bench/answers.h"
#include "bench/policies.h"

namespace rdmabench {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::uint32_t kLanes = 3;
constexpr std::uint32_t kWindow = 2;

// A device whose requests complete, and whose peer answers, when the test lets them.
struct Wire {
  std::deque<ibv_wc> completions;
  bool completes = true;
  bool answers = true;
  std::vector<std::uint64_t> posts = std::vector<std::uint64_t>(kLanes);
  // The last byte of each lane's message, at the peer and here.
  std::vector<std::byte> arriving = std::vector<std::byte>(kLanes);
  std::vector<std::byte> leaving = std::vector<std::byte>(kLanes);
  int post_error = 0;
  int poll_error = 0;
  ibv_wc_status status = IBV_WC_SUCCESS;

  void Answer(std::uint64_t lane) { arriving[lane] = leaving[lane]; }
};
Wire* wire = nullptr;

struct TestChannel {
  static int Post(ibv_qp* /*qp*/, const ibv_send_wr* request) {
    if (wire->post_error != 0) return wire->post_error;
    ++wire->posts[request->wr_id];
    ibv_wc wc{};
    wc.wr_id = request->wr_id;
    wc.status = wire->status;
    wire->completions.push_back(wc);
    if (wire->answers) wire->Answer(request->wr_id);
    return 0;
  }
  static int Poll(ibv_cq* /*cq*/, ibv_wc* completions, int most) {
    if (wire->poll_error != 0) return wire->poll_error;
    int count = 0;
    for (; wire->completes && count < most && !wire->completions.empty(); ++count) {
      completions[count] = wire->completions.front();
      wire->completions.pop_front();
    }
    return count;
  }
};

struct TestProbe {
  void Record(std::uint64_t value) { ticks.push_back(value); }
  std::vector<std::uint64_t> ticks;
};

template <class Answer>
using TestPing = Ping<TestChannel, Answer, TestProbe>;
using MemoryPing = TestPing<ByMemory>;

class PingTest : public ::testing::Test {
 protected:
  PingTest() { wire = &wire_; }
  ~PingTest() override { wire = nullptr; }

  Lanes<TestChannel> MakeLanes(std::uint32_t count) {
    const RingShape shape{.message_bytes = 2, .window = kWindow, .one_slot = true};
    std::vector<Lane> lanes;
    for (std::uint32_t i = 0; i < count; ++i) {
      lanes.push_back({&qp_, WorkRing(shape, SlotLayout(2, count, 1 << 20), {.lane = i},
                                      FindOp("write"), FindQpType("rc"))});
    }
    return {shape, std::move(lanes), {nullptr}};
  }
  MemoryPing OverMemory(std::uint64_t messages, std::uint32_t lanes = kLanes,
                        std::uint64_t reply_timeout_ticks = 0) {
    std::vector<ByMemory::Slot> slots;
    for (std::uint32_t i = 0; i < lanes; ++i) {
      slots.push_back({&wire_.arriving[i], &wire_.leaving[i]});
    }
    return {{.messages = messages, .reply_timeout_ticks = reply_timeout_ticks},
            MakeLanes(lanes),
            ByMemory(slots),
            clock_,
            probe_};
  }
  TestPing<ByCompletion> OverCompletions(std::uint64_t messages) {
    return {{.messages = messages}, MakeLanes(kLanes), ByCompletion{}, clock_, probe_};
  }
  template <class AnyPing>
  LoopResult Run(AnyPing& ping) {
    return Drive(
        clock_, BusyPoll{}, {abort_, finish_}, progress_, [](std::size_t) {}, ping);
  }

  const TickClock clock_{TickSource::kSystem};
  Wire wire_;
  TestProbe probe_;
  ibv_qp qp_{};
  std::atomic<bool> abort_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::uint64_t> progress_{0};
};

TEST_F(PingTest, SendsExactlyItsCountOnEveryLaneAndRecordsEachRoundTrip) {
  MemoryPing ping = OverMemory(100);
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_THAT(wire_.posts, Each(100U));
  EXPECT_THAT(ping.counts(), Each(100U));
  EXPECT_EQ(ping.completed(), 100U * kLanes);
  EXPECT_EQ(ping.sent(), 100U * kLanes);
  EXPECT_EQ(ping.lost(), 0U);
  EXPECT_THAT(probe_.ticks, SizeIs(100 * kLanes));
}

TEST_F(PingTest, TakesItsOwnCompletionsForAnswersWhereTheOpHasNoOther) {
  TestPing<ByCompletion> ping = OverCompletions(100);
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_THAT(wire_.posts, Each(100U));
  EXPECT_THAT(ping.counts(), Each(100U));
  EXPECT_THAT(probe_.ticks, SizeIs(100 * kLanes));
}

TEST_F(PingTest, HasOneMessageUnderWayOnEachLane) {
  wire_.answers = false;
  MemoryPing ping = OverMemory(100);
  for (int i = 0; i < 5; ++i) ping.Step();
  EXPECT_THAT(wire_.posts, Each(1U));
  wire_.Answer(1);
  for (int i = 0; i < 5; ++i) ping.Step();
  EXPECT_THAT(wire_.posts, ElementsAre(1, 2, 1));
}

TEST_F(PingTest, MarksNoMessageAsTheOneBefore) {
  MemoryPing ping = OverMemory(600, 1);
  std::byte before = wire_.leaving[0];
  while (!ping.Done()) {
    const std::uint64_t posts = wire_.posts[0];
    ASSERT_TRUE(ping.Step());
    if (wire_.posts[0] == posts) continue;
    ASSERT_NE(wire_.leaving[0], before);
    before = wire_.leaving[0];
  }
}

TEST_F(PingTest, EndsAfterTheRepliesUnderWayWhenToldToFinish) {
  wire_.answers = false;
  MemoryPing ping = OverMemory(100);
  ping.Step();
  ping.Finish();
  ping.Step();
  EXPECT_FALSE(ping.Done());
  for (std::uint32_t lane = 0; lane < kLanes; ++lane) wire_.Answer(lane);
  ping.Step();
  ping.Step();
  EXPECT_TRUE(ping.Done());
  EXPECT_THAT(wire_.posts, Each(1U));
  EXPECT_EQ(ping.completed(), std::uint64_t{kLanes});
}

TEST_F(PingTest, TakesItsLastCompletionsOffBeforeItIsDone) {
  wire_.completes = false;
  MemoryPing ping = OverMemory(1);
  for (int i = 0; i < 5; ++i) ping.Step();
  EXPECT_EQ(ping.completed(), std::uint64_t{kLanes});
  EXPECT_FALSE(ping.Done());
  wire_.completes = true;
  ping.Step();
  EXPECT_TRUE(ping.Done());
}

TEST_F(PingTest, WaitsForRoomWhereItsRequestsHaveNotCompleted) {
  wire_.completes = false;
  MemoryPing ping = OverMemory(100, 1);
  for (int i = 0; i < 10; ++i) ping.Step();
  EXPECT_EQ(wire_.posts[0], std::uint64_t{kWindow});
  EXPECT_TRUE(ping.starved());
  wire_.completes = true;
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_EQ(wire_.posts[0], 100U);
}

TEST_F(PingTest, MarksTheWindowFromTheFirstMessageToTheLastAnswer) {
  wire_.answers = false;
  MemoryPing ping = OverMemory(1, 1);
  EXPECT_EQ(ping.first_ticks(), 0U);
  const std::uint64_t before = clock_.Now();
  ping.Step();
  const std::uint64_t between = clock_.Now();
  wire_.Answer(0);
  Run(ping);
  EXPECT_GE(ping.first_ticks(), before);
  EXPECT_LE(ping.first_ticks(), between);
  EXPECT_GE(ping.last_ticks(), between);
  EXPECT_LE(ping.last_ticks(), clock_.Now());
  EXPECT_THAT(probe_.ticks, ElementsAre(ping.last_ticks() - ping.first_ticks()));
}

// Replies that get lost: of one lane, with a timeout that any pass without a reply exceeds.
class LossyPingTest : public PingTest {
 protected:
  void StepUntilLost(std::uint64_t lost) {
    while (ping_.lost() < lost) ASSERT_TRUE(ping_.Step());
  }
  MemoryPing ping_ = OverMemory(3, 1, 1);
};

TEST_F(LossyPingTest, CountsALostReplyAndGoesOn) {
  wire_.answers = false;
  StepUntilLost(1);
  wire_.answers = true;
  EXPECT_EQ(Run(ping_).outcome, Outcome::kDone);
  EXPECT_EQ(ping_.sent(), 3U);
  EXPECT_EQ(ping_.completed(), 2U);
  EXPECT_EQ(ping_.lost(), 1U);
  EXPECT_THAT(probe_.ticks, SizeIs(2));
}

TEST_F(LossyPingTest, EndsWhenEveryReplyIsLost) {
  wire_.answers = false;
  EXPECT_EQ(Run(ping_).outcome, Outcome::kDone);
  EXPECT_EQ(ping_.lost(), 3U);
  EXPECT_EQ(ping_.completed(), 0U);
}

TEST_F(LossyPingTest, EndsAfterALossWhenToldToFinish) {
  wire_.answers = false;
  ping_.Step();
  ping_.Finish();
  EXPECT_EQ(Run(ping_).outcome, Outcome::kDone);
  EXPECT_EQ(ping_.sent(), 1U);
  EXPECT_EQ(ping_.lost(), 1U);
}

TEST_F(LossyPingTest, DropsAReplyThatComesWhileItRests) {
  wire_.answers = false;
  StepUntilLost(1);
  EXPECT_EQ(ping_.sent(), 1U);
  wire_.Answer(0);
  ping_.Step();
  EXPECT_EQ(ping_.completed(), 0U);
  EXPECT_THAT(probe_.ticks, SizeIs(0));
}

TEST_F(LossyPingTest, DropsAReplyToAnEarlierMessage) {
  wire_.answers = false;
  StepUntilLost(1);
  const std::byte late = wire_.leaving[0];
  while (ping_.sent() < 2) ping_.Step();
  wire_.arriving[0] = late;
  ping_.Step();
  EXPECT_EQ(ping_.completed(), 0U);
}

TEST_F(LossyPingTest, LooksForLossesWhileNothingCompletes) {
  wire_.answers = false;
  ping_.Step();
  EXPECT_TRUE(ping_.starved());
}

TEST_F(PingTest, LosesNothingWithoutATimeout) {
  wire_.answers = false;
  MemoryPing ping = OverMemory(3);
  for (int i = 0; i < 1000; ++i) ping.Step();
  EXPECT_EQ(ping.lost(), 0U);
  EXPECT_FALSE(ping.starved());
}

TEST_F(PingTest, ReportsAPostThatFails) {
  wire_.post_error = ENOMEM;
  MemoryPing ping = OverMemory(3);
  const LoopResult result = Run(ping);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.failure.what, Failure::What::kPost);
  EXPECT_EQ(result.failure.code, ENOMEM);
}

TEST_F(PingTest, ReportsAnErrorCompletion) {
  wire_.status = IBV_WC_RETRY_EXC_ERR;
  wire_.answers = false;
  MemoryPing ping = OverMemory(3);
  const LoopResult result = Run(ping);
  EXPECT_EQ(result.failure.what, Failure::What::kCompletion);
  EXPECT_EQ(result.failure.code, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(PingTest, ReportsAPollThatFails) {
  wire_.poll_error = -5;
  TestPing<ByCompletion> ping = OverCompletions(3);
  const LoopResult result = Run(ping);
  EXPECT_EQ(result.failure.what, Failure::What::kPoll);
  EXPECT_EQ(result.failure.code, -5);
}

}  // namespace
}  // namespace rdmabench
