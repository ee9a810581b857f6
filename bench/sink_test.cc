#include "bench/sink.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <deque>
#include <utility>

#include "bench/policies.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr std::uint32_t kDepth = 8;
constexpr std::uint32_t kChain = 4;
constexpr std::uint32_t kQpn = 0x17;

// What has arrived and what was posted again.
struct Wire {
  std::deque<ibv_wc> arrived;
  std::vector<std::uint64_t> posts;  // the queue of each chain
  int post_error = 0;
  int poll_error = 0;
  int most_a_poll = 16;
};
Wire* wire = nullptr;

struct TestChannel {
  static int Poll(ibv_cq* /*cq*/, ibv_wc* completions, int most) {
    if (wire->poll_error != 0) return wire->poll_error;
    int count = 0;
    for (; count < std::min(most, wire->most_a_poll) && !wire->arrived.empty(); ++count) {
      completions[count] = wire->arrived.front();
      wire->arrived.pop_front();
    }
    return count;
  }
};

int PostRecv(ibv_qp* /*qp*/, ibv_recv_wr* chain, ibv_recv_wr** /*bad*/) {
  if (wire->post_error != 0) return wire->post_error;
  wire->posts.push_back(chain->wr_id);
  return 0;
}

// Credits that are noted, and on their way as long as the test wants.
struct CreditLog {
  std::vector<std::pair<std::uint32_t, std::uint64_t>> returns;
  bool idle = true;
  bool return_fails = false;
  bool step_fails = false;
};

struct TestCredit {
  bool Return(std::uint32_t queue, std::uint64_t count) {
    log->returns.emplace_back(queue, count);
    return !log->return_fails;
  }
  bool Step() { return !log->step_fails; }
  bool idle() const { return log->idle; }
  Failure failure() const { return {.what = Failure::What::kPost, .code = EAGAIN}; }
  CreditLog* log;
};

using TestSink = Sink<TestChannel, TestCredit, Uninspected>;

class SinkTest : public ::testing::Test {
 protected:
  SinkTest() {
    wire = &wire_;
    context_.ops.post_recv = PostRecv;
    qp_.context = &context_;
  }
  ~SinkTest() override { wire = nullptr; }

  TestSink Make(std::uint32_t queues = 1) { return MakeOf<Uninspected>(queues, {}); }
  template <class Inspect>
  Sink<TestChannel, TestCredit, Inspect> MakeOf(std::uint32_t queues, Inspect inspect) {
    const ReceiveShape shape{.depth = kDepth, .chain = kChain, .slot_bytes = 64};
    for (std::uint32_t i = 0; i < queues; ++i) {
      rings_.emplace_back(
          shape, LayoutFor(shape, queues),
          ReceiveRing::Place{
              .queue = i, .first_slot = std::uint64_t{i} * kDepth, .memory = {}, .qp = &qp_});
    }
    return {{.rings = rings_, .cqs = {nullptr}, .expected = expected_, .clock = clock_},
            TestCredit{&credit_},
            std::move(inspect)};
  }
  void Arrive(std::uint64_t queue, int messages, std::uint32_t bytes = 64) {
    for (int i = 0; i < messages; ++i) {
      ibv_wc wc{};
      wc.wr_id = queue;
      wc.byte_len = bytes;
      wc.qp_num = kQpn;
      wire_.arrived.push_back(wc);
    }
  }
  LoopResult Run(TestSink& sink) {
    return Drive(
        clock_, BusyPoll{}, {abort_, finish_}, progress_, [](std::size_t) {}, sink);
  }

  const TickClock clock_{TickSource::kSystem};
  Wire wire_;
  ibv_context context_{};
  ibv_qp qp_{};
  std::vector<ReceiveRing> rings_;
  CreditLog credit_;
  std::atomic<std::uint64_t> expected_{~std::uint64_t{0}};
  std::atomic<bool> abort_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::uint64_t> progress_{0};
};

TEST_F(SinkTest, CountsMessagesOfEveryQueueAndTheirBytes) {
  TestSink sink = Make(2);
  Arrive(0, 3, 64);
  Arrive(1, 5, 104);
  expected_ = 8;
  EXPECT_EQ(Run(sink).outcome, Outcome::kDone);
  EXPECT_THAT(sink.counts(), ElementsAre(3, 5));
  EXPECT_EQ(sink.completed(), 8U);
  EXPECT_EQ(sink.bytes(), 3U * 64 + 5U * 104);
}

TEST_F(SinkTest, TakesMoreThanOnePollGives) {
  TestSink sink = Make();
  wire_.most_a_poll = 3;
  Arrive(0, 100);
  expected_ = 100;
  Run(sink);
  EXPECT_EQ(sink.completed(), 100U);
  EXPECT_EQ(progress_.load(), 100U);
}

TEST_F(SinkTest, PostsReceiveRequestsAgainAChainAtATime) {
  TestSink sink = Make(2);
  Arrive(0, kChain - 1);
  Arrive(1, 2 * kChain + 1);
  sink.Step();
  EXPECT_THAT(wire_.posts, ElementsAre(1, 1));
  Arrive(0, 1);
  sink.Step();
  EXPECT_THAT(wire_.posts, ElementsAre(1, 1, 0));
}

TEST_F(SinkTest, ReturnsTheCreditsOfEachChainOnce) {
  TestSink sink = Make(2);
  Arrive(1, kChain);
  Arrive(0, 2 * kChain + 3);
  sink.Step();
  using Credit = std::pair<std::uint32_t, std::uint64_t>;
  EXPECT_THAT(credit_.returns, ElementsAre(Credit(1, 4), Credit(0, 4), Credit(0, 8)));
}

// Notes the slots of what has come, and how many chains were posted again by then.
struct Noted : Uninspected {
  void operator()(const ibv_wc& completion, std::uint64_t slot_addr) const {
    bytes->push_back(completion.byte_len);
    slots->push_back(slot_addr);
    posts_before->push_back(wire->posts.size());
  }
  std::vector<std::uint32_t>* bytes;
  std::vector<std::uint64_t>* slots;
  std::vector<std::size_t>* posts_before;
};

TEST_F(SinkTest, HasEveryMessageInspectedInItsSlotBeforeThatIsPostedAgain) {
  std::vector<std::uint32_t> bytes;
  std::vector<std::uint64_t> slots;
  std::vector<std::size_t> posts_before;
  auto sink = MakeOf(2, Noted{{}, &bytes, &slots, &posts_before});
  constexpr std::uint32_t kSecond = kDepth * 64;  // where the second queue's slots begin
  Arrive(0, 1, 60);
  Arrive(1, kChain, 61);
  Arrive(0, 2, 62);
  sink.Step();
  EXPECT_THAT(bytes, ElementsAre(60, 61, 61, 61, 61, 62, 62));
  EXPECT_THAT(slots, ElementsAre(0, kSecond, kSecond + 64, kSecond + 128, kSecond + 192, 64, 128));
  EXPECT_THAT(posts_before, ElementsAre(0, 0, 0, 0, 0, 1, 1));
}

struct Repeating : Uninspected {
  static constexpr std::uint64_t kRepeated = 2;
  static constexpr std::uint64_t repeated() { return kRepeated; }
  static constexpr std::uint64_t Settled(std::uint32_t queue, std::uint64_t returned) {
    return 100 * queue + returned + 7;
  }
};

TEST_F(SinkTest, EndsWhenAsManyDifferentMessagesHaveComeAsWereSent) {
  auto sink = MakeOf(1, Repeating{});
  expected_ = 5;
  Arrive(0, 6);
  sink.Step();
  sink.Step();
  EXPECT_FALSE(sink.Done());
  Arrive(0, 1);
  sink.Step();
  sink.Step();
  EXPECT_TRUE(sink.Done());
}

TEST_F(SinkTest, ReturnsCreditsForWhatTheInspectionTakesForSettled) {
  auto sink = MakeOf(2, Repeating{});
  Arrive(1, kChain);
  sink.Step();
  EXPECT_THAT(credit_.returns, ElementsAre(std::pair(1U, std::uint64_t{100 + kChain + 7})));
}

TEST_F(SinkTest, DoesNotEndBeforeItKnowsHowManyAreToCome) {
  TestSink sink = Make();
  Arrive(0, 5);
  sink.Step();
  sink.Step();
  EXPECT_FALSE(sink.Done());
  expected_ = 5;
  EXPECT_TRUE(sink.Done());
}

TEST_F(SinkTest, GoesOnWhenToldToFinishUntilAllHasCome) {
  TestSink sink = Make();
  expected_ = 6;
  Arrive(0, 5);
  sink.Step();
  sink.Finish();
  sink.Step();
  EXPECT_FALSE(sink.Done());
  Arrive(0, 1);
  finish_ = true;
  EXPECT_EQ(Run(sink).outcome, Outcome::kDone);
}

TEST_F(SinkTest, EndsAtOnceWhenThePeerHasSentNothing) {
  TestSink sink = Make();
  expected_ = 0;
  EXPECT_EQ(Run(sink).outcome, Outcome::kDone);
  EXPECT_EQ(sink.first_ticks(), 0U);
}

TEST_F(SinkTest, WaitsForTheLastCreditsToArrive) {
  TestSink sink = Make();
  Arrive(0, kChain);
  expected_ = kChain;
  credit_.idle = false;
  sink.Step();
  sink.Step();
  EXPECT_FALSE(sink.Done());
  EXPECT_TRUE(sink.starved());
  credit_.idle = true;
  EXPECT_TRUE(sink.Done());
  EXPECT_FALSE(sink.starved());
}

TEST_F(SinkTest, MarksTheFirstMessageAndTheFirstEmptyPollAfterTheLast) {
  TestSink sink = Make();
  sink.Step();
  EXPECT_EQ(sink.first_ticks(), 0U);
  Arrive(0, 2);
  const std::uint64_t before_first = clock_.Now();
  sink.Step();
  const std::uint64_t after_first = clock_.Now();
  Arrive(0, 2);
  sink.Step();
  const std::uint64_t before_last = clock_.Now();
  sink.Step();
  const std::uint64_t after_last = clock_.Now();
  sink.Step();
  EXPECT_GE(sink.first_ticks(), before_first);
  EXPECT_LE(sink.first_ticks(), after_first);
  EXPECT_GE(sink.last_ticks(), before_last);
  EXPECT_LE(sink.last_ticks(), after_last);
}

TEST_F(SinkTest, MarksTheEndAlsoWhenItKnowsBeforehandWhichMessageIsTheLast) {
  TestSink sink = Make();
  expected_ = 5;
  Arrive(0, 2);
  sink.Step();
  sink.Step();
  const std::uint64_t before_last = clock_.Now();
  Arrive(0, 3);
  Run(sink);
  EXPECT_GE(sink.last_ticks(), before_last);
}

TEST_F(SinkTest, ReportsTheFirstErrorCompletion) {
  TestSink sink = Make();
  Arrive(0, 3);
  wire_.arrived[1].status = IBV_WC_LOC_LEN_ERR;
  const LoopResult result = Run(sink);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.failure.what, Failure::What::kCompletion);
  EXPECT_EQ(result.failure.code, IBV_WC_LOC_LEN_ERR);
  EXPECT_EQ(result.failure.qpn, kQpn);
}

TEST_F(SinkTest, ReportsARequestThatCannotBePostedAgain) {
  TestSink sink = Make();
  Arrive(0, kChain);
  wire_.post_error = ENOMEM;
  const LoopResult result = Run(sink);
  EXPECT_EQ(result.failure.what, Failure::What::kReceive);
  EXPECT_EQ(result.failure.code, ENOMEM);
  EXPECT_EQ(result.failure.qpn, kQpn);
  EXPECT_THAT(credit_.returns, IsEmpty());
}

TEST_F(SinkTest, ReportsAPollThatFails) {
  TestSink sink = Make();
  wire_.poll_error = -5;
  const LoopResult result = Run(sink);
  EXPECT_EQ(result.failure.what, Failure::What::kPoll);
  EXPECT_EQ(result.failure.code, -5);
}

TEST_F(SinkTest, ReportsACreditThatCannotBeSent) {
  TestSink sink = Make();
  Arrive(0, kChain);
  credit_.return_fails = true;
  EXPECT_EQ(Run(sink).failure.code, EAGAIN);
}

TEST_F(SinkTest, ReportsACreditThatDoesNotArrive) {
  TestSink sink = Make();
  credit_.step_fails = true;
  EXPECT_EQ(Run(sink).failure.code, EAGAIN);
}

TEST_F(SinkTest, LeavesAtOnceWhenAborted) {
  TestSink sink = Make();
  abort_ = true;
  Arrive(0, 100);
  EXPECT_EQ(Run(sink).outcome, Outcome::kAborted);
  EXPECT_THAT(wire_.arrived, SizeIs(84));
}

}  // namespace
}  // namespace rdmabench
