#include "bench/echo.h"

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
using ::testing::IsEmpty;

constexpr std::uint32_t kLanes = 2;
constexpr std::uint32_t kWindow = 2;
constexpr std::uint32_t kDepth = 4;
constexpr std::uint32_t kChain = 2;
constexpr std::uint32_t kBytes = 64;

// Two completion queues, told apart by their context, and what was posted.
struct Wire {
  std::deque<ibv_wc> sent;
  std::deque<ibv_wc> received;
  bool completes = true;
  std::vector<std::uint64_t> answers;   // lanes, in order
  std::vector<std::uint64_t> receives;  // the lane of each chain posted again
  int post_error = 0;
  int receive_error = 0;
  int poll_error = 0;
};
Wire* wire = nullptr;

struct TestChannel {
  static int Post(ibv_qp* /*qp*/, const ibv_send_wr* request) {
    if (wire->post_error != 0) return wire->post_error;
    wire->answers.push_back(request->wr_id);
    ibv_wc wc{};
    wc.wr_id = request->wr_id;
    wire->sent.push_back(wc);
    return 0;
  }
  static int Poll(ibv_cq* cq, ibv_wc* completions, int most) {
    if (wire->poll_error != 0) return wire->poll_error;
    std::deque<ibv_wc>& queue = *static_cast<std::deque<ibv_wc>*>(cq->cq_context);
    if (&queue == &wire->sent && !wire->completes) return 0;
    int count = 0;
    for (; count < most && !queue.empty(); ++count) {
      completions[count] = queue.front();
      queue.pop_front();
    }
    return count;
  }
};

int PostRecv(ibv_qp* /*qp*/, ibv_recv_wr* chain, ibv_recv_wr** /*bad*/) {
  if (wire->receive_error != 0) return wire->receive_error;
  wire->receives.push_back(chain->wr_id);
  return 0;
}

class EchoTest : public ::testing::Test {
 protected:
  EchoTest() {
    wire = &wire_;
    context_.ops.post_recv = PostRecv;
    qp_.context = &context_;
    send_cq_.cq_context = &wire_.sent;
    recv_cq_.cq_context = &wire_.received;
  }
  ~EchoTest() override { wire = nullptr; }

  Lanes<TestChannel> MakeLanes() {
    const RingShape shape{.message_bytes = kBytes, .window = kWindow, .one_slot = true};
    std::vector<Lane> lanes;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      lanes.push_back({&qp_, WorkRing(shape, LayoutFor(shape, kLanes), {.lane = i}, FindOp("send"),
                                      FindQpType("rc"))});
    }
    return {shape, std::move(lanes), {&send_cq_}};
  }
  Echo<TestChannel, ByReceive> OverReceives() {
    const ReceiveShape shape{.depth = kDepth, .chain = kChain, .slot_bytes = kBytes};
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      rings_.emplace_back(shape, LayoutFor(shape, kLanes),
                          ReceiveRing::Place{.queue = i, .memory = {}, .qp = &qp_});
    }
    return {MakeLanes(), ByReceive(rings_, {&recv_cq_}), expected_};
  }
  Echo<TestChannel, ByMemory> OverMemory() {
    std::vector<ByMemory::Slot> slots;
    for (std::uint32_t i = 0; i < kLanes; ++i) slots.push_back({&arriving_[i], &leaving_[i]});
    return {MakeLanes(), ByMemory(slots), expected_};
  }
  void Arrive(std::uint64_t lane, int messages = 1) {
    for (int i = 0; i < messages; ++i) {
      ibv_wc wc{};
      wc.wr_id = lane;
      wc.byte_len = kBytes;
      wire_.received.push_back(wc);
    }
  }
  template <class AnyEcho>
  LoopResult Run(AnyEcho& echo) {
    return Drive(
        clock_, BusyPoll{}, {abort_, finish_}, progress_, [](std::size_t) {}, echo);
  }

  const TickClock clock_{TickSource::kSystem};
  Wire wire_;
  ibv_context context_{};
  ibv_qp qp_{};
  ibv_cq send_cq_{};
  ibv_cq recv_cq_{};
  std::vector<ReceiveRing> rings_;
  std::vector<std::byte> arriving_ = std::vector<std::byte>(kLanes);
  std::vector<std::byte> leaving_ = std::vector<std::byte>(kLanes);
  std::atomic<std::uint64_t> expected_{~std::uint64_t{0}};
  std::atomic<bool> abort_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::uint64_t> progress_{0};
};

TEST_F(EchoTest, AnswersEveryMessageOnItsLane) {
  Echo echo = OverReceives();
  Arrive(1);
  Arrive(0);
  Arrive(1);
  echo.Step();
  EXPECT_THAT(wire_.answers, ElementsAre(1, 0, 1));
  EXPECT_EQ(echo.completed(), 3U);
  EXPECT_EQ(echo.bytes(), 3U * kBytes);
}

TEST_F(EchoTest, PostsReceiveRequestsAgainAChainAtATime) {
  Echo echo = OverReceives();
  Arrive(0, kChain - 1);
  Arrive(1, kChain);
  echo.Step();
  EXPECT_THAT(wire_.receives, ElementsAre(1));
}

TEST_F(EchoTest, AnswersWithTheMarkThatItSaw) {
  Echo echo = OverMemory();
  arriving_[1] = std::byte{7};
  echo.Step();
  EXPECT_THAT(wire_.answers, ElementsAre(1));
  EXPECT_EQ(leaving_[1], std::byte{7});
  EXPECT_EQ(leaving_[0], std::byte{0});
}

TEST_F(EchoTest, AnswersAMarkOnce) {
  Echo echo = OverMemory();
  arriving_[0] = std::byte{7};
  for (int i = 0; i < 5; ++i) echo.Step();
  EXPECT_THAT(wire_.answers, ElementsAre(0));
}

// A ping may be faster than the other side's echo is made.
TEST_F(EchoTest, AnswersAMessageThatCameBeforeItWasMade) {
  arriving_[0] = std::byte{1};
  Echo echo = OverMemory();
  echo.Step();
  EXPECT_THAT(wire_.answers, ElementsAre(0));
}

TEST_F(EchoTest, EndsWhenAllIsAnsweredThatThePeerHasSent) {
  Echo echo = OverReceives();
  Arrive(0, 3);
  echo.Step();
  echo.Step();
  EXPECT_FALSE(echo.Done());
  echo.Finish();
  EXPECT_FALSE(echo.Done());
  expected_ = 3;
  EXPECT_EQ(Run(echo).outcome, Outcome::kDone);
  EXPECT_THAT(wire_.answers, Each(0U));
}

TEST_F(EchoTest, TakesItsLastCompletionsOffBeforeItIsDone) {
  wire_.completes = false;
  expected_ = 1;
  Echo echo = OverReceives();
  Arrive(0);
  echo.Step();
  echo.Step();
  EXPECT_FALSE(echo.Done());
  wire_.completes = true;
  echo.Step();
  EXPECT_TRUE(echo.Done());
}

TEST_F(EchoTest, OwesAnAnswerForWhichThereIsNoRoomAndPaysItOff) {
  wire_.completes = false;
  expected_ = kWindow + 2;
  Echo echo = OverReceives();
  Arrive(0, kWindow + 2);
  echo.Step();
  EXPECT_THAT(wire_.answers, ::testing::SizeIs(kWindow));
  EXPECT_TRUE(echo.starved());
  EXPECT_FALSE(echo.Done());
  wire_.completes = true;
  EXPECT_EQ(Run(echo).outcome, Outcome::kDone);
  EXPECT_THAT(wire_.answers, ::testing::SizeIs(kWindow + 2));
  EXPECT_FALSE(echo.starved());
}

TEST_F(EchoTest, ReportsAnAnswerThatCannotBePosted) {
  Echo echo = OverReceives();
  Arrive(0);
  wire_.post_error = ENOMEM;
  const LoopResult result = Run(echo);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.failure.what, Failure::What::kPost);
  EXPECT_EQ(result.failure.code, ENOMEM);
}

TEST_F(EchoTest, ReportsARequestThatCannotBePostedAgain) {
  Echo echo = OverReceives();
  Arrive(0, kChain);
  wire_.receive_error = ENOMEM;
  const LoopResult result = Run(echo);
  EXPECT_EQ(result.failure.what, Failure::What::kReceive);
  EXPECT_EQ(result.failure.code, ENOMEM);
}

TEST_F(EchoTest, ReportsAnErrorCompletion) {
  Echo echo = OverReceives();
  Arrive(0);
  wire_.received.front().status = IBV_WC_LOC_LEN_ERR;
  const LoopResult result = Run(echo);
  EXPECT_EQ(result.failure.what, Failure::What::kCompletion);
  EXPECT_EQ(result.failure.code, IBV_WC_LOC_LEN_ERR);
  EXPECT_THAT(wire_.answers, IsEmpty());
}

TEST_F(EchoTest, ReportsAPollThatFails) {
  Echo echo = OverReceives();
  wire_.poll_error = -5;
  const LoopResult result = Run(echo);
  EXPECT_EQ(result.failure.what, Failure::What::kPoll);
  EXPECT_EQ(result.failure.code, -5);
}

}  // namespace
}  // namespace rdmabench
