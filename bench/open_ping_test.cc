#include "bench/open_ping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <deque>

#include "bench/answers.h"
#include "bench/open_answers.h"

namespace rdmabench {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::SizeIs;

constexpr std::uint32_t kLanes = 3;
constexpr std::uint32_t kWindow = 4;
constexpr std::uint32_t kBytes = 2;
// Ticks, which are nanoseconds here: longer than the test lasts.
constexpr double kNever = 1e15;

// A device whose requests complete, and whose peer answers, when the test lets them.
struct Wire {
  Wire() : arriving(kLanes * kWindow * kStride), leaving(arriving.size()), posts(kLanes) {}

  static constexpr std::size_t kStride = 64;
  std::vector<std::byte> arriving;
  std::vector<std::byte> leaving;
  std::vector<std::uint64_t> posts;
  std::vector<std::uint32_t> slots;  // of the messages, in order
  std::vector<std::byte> marks = std::vector<std::byte>(kLanes * kWindow);
  bool has_repeated_a_mark = false;
  std::deque<ibv_wc> completions;
  bool completes = true;
  bool answers = true;
  int post_error = 0;
  int poll_error = 0;
  ibv_wc_status status = IBV_WC_SUCCESS;

  static std::size_t LastByte(std::uint32_t lane, std::uint32_t slot) {
    return (lane * kWindow + slot) * kStride + kBytes - 1;
  }
  void Answer(std::uint32_t lane, std::uint32_t slot) {
    arriving[LastByte(lane, slot)] = leaving[LastByte(lane, slot)];
  }
};
Wire* wire = nullptr;

struct TestChannel {
  static int Post(ibv_qp* /*qp*/, const ibv_send_wr* request) {
    if (wire->post_error != 0) return wire->post_error;
    const auto lane = static_cast<std::uint32_t>(request->wr_id);
    const std::uint64_t offset =
        request->sg_list->addr - reinterpret_cast<std::uintptr_t>(wire->leaving.data());
    const auto slot = static_cast<std::uint32_t>(offset / Wire::kStride % kWindow);
    ++wire->posts[lane];
    const std::byte mark = wire->leaving[Wire::LastByte(lane, slot)];
    std::byte& before = wire->marks[lane * kWindow + slot];
    wire->has_repeated_a_mark = wire->has_repeated_a_mark || mark == before;
    before = mark;
    wire->slots.push_back(slot);
    ibv_wc wc{};
    wc.wr_id = request->wr_id;
    wc.status = wire->status;
    wire->completions.push_back(wc);
    if (wire->answers) wire->Answer(lane, slot);
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
using TestPing = OpenPing<TestChannel, Answer, Even, TestProbe>;

struct Wanted {
  std::uint64_t messages = 100;
  std::uint32_t lanes = 1;
  double gap = kNever;
  std::uint32_t burst = 1;  // due at once
  bool in_order = true;
  std::uint64_t reply_timeout = 0;
};

class OpenPingTest : public ::testing::Test {
 protected:
  OpenPingTest() { wire = &wire_; }
  ~OpenPingTest() override { wire = nullptr; }

  Lanes<TestChannel> MakeLanes(std::uint32_t count) {
    const RingShape shape{.message_bytes = kBytes, .window = kWindow, .own_slots = true};
    const SlotLayout layout(kBytes, std::uint64_t{count} * kWindow, ~std::uint64_t{0});
    std::vector<Lane> lanes;
    for (std::uint32_t i = 0; i < count; ++i) {
      const WorkRing::Place place{
          .lane = i,
          .first_slot = std::uint64_t{i} * kWindow,
          .local = {.addr = reinterpret_cast<std::uintptr_t>(wire_.leaving.data())}};
      lanes.push_back({&qp_, WorkRing(shape, layout, place, FindOp("write"), FindQpType("rc"))});
    }
    return {shape, std::move(lanes), {nullptr}};
  }
  template <class Answer>
  TestPing<Answer> Make(const Wanted& wanted, Answer answer) {
    return {{.messages = wanted.messages,
             .window = kWindow,
             .reply_timeout_ticks = wanted.reply_timeout,
             .schedule = {.ticks_per_message = wanted.gap,
                          .burst = wanted.burst,
                          .lanes = wanted.lanes}},
            MakeLanes(wanted.lanes),
            std::move(answer),
            clock_,
            {response_, service_}};
  }
  // All messages are due at once.
  static Wanted AtOnce(std::uint32_t messages) { return {.messages = messages, .burst = messages}; }
  TestPing<BySlot> OverMemory(const Wanted& wanted) {
    return Make(wanted, BySlot({.arriving = wire_.arriving.data() + kBytes - 1,
                                .leaving = wire_.leaving.data() + kBytes - 1,
                                .stride = Wire::kStride,
                                .lanes = wanted.lanes,
                                .slots = kWindow,
                                .in_order = wanted.in_order}));
  }
  template <class AnyPing>
  LoopResult Run(AnyPing& ping) {
    return Drive(
        clock_, BusyPoll{}, {abort_, finish_}, progress_, [](std::size_t) {}, ping);
  }
  template <class AnyPing>
  static void Steps(AnyPing& ping, int steps = 5) {
    for (int i = 0; i < steps; ++i) ASSERT_TRUE(ping.Step());
  }

  const TickClock clock_{TickSource::kSystem};
  Wire wire_;
  TestProbe response_;
  TestProbe service_;
  ibv_qp qp_{};
  std::atomic<bool> abort_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::uint64_t> progress_{0};
};

TEST_F(OpenPingTest, SendsExactlyItsCountOnEveryLaneAndRecordsEachReplyTwice) {
  TestPing<BySlot> ping = OverMemory({.messages = 1000, .lanes = kLanes, .gap = 100.0});
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_THAT(wire_.posts, Each(1000U));
  EXPECT_THAT(ping.counts(), Each(1000U));
  EXPECT_EQ(ping.sent(), 1000U * kLanes);
  EXPECT_EQ(ping.completed(), 1000U * kLanes);
  EXPECT_THAT(response_.ticks, SizeIs(1000 * kLanes));
  ASSERT_THAT(service_.ticks, SizeIs(1000 * kLanes));
  for (std::size_t i = 0; i < service_.ticks.size(); ++i) {
    ASSERT_GE(response_.ticks[i], service_.ticks[i]);
  }
}

TEST_F(OpenPingTest, TakesItsOwnCompletionsForAnswersWhereTheOpHasNoOther) {
  TestPing<ByCompletion> ping =
      Make({.messages = 1000, .lanes = kLanes, .gap = 100.0}, ByCompletion{});
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_THAT(wire_.posts, Each(1000U));
  EXPECT_THAT(response_.ticks, SizeIs(1000 * kLanes));
}

TEST_F(OpenPingTest, SendsWhatIsDueWithoutWaitingForAnswersUpToItsWindow) {
  wire_.answers = false;
  TestPing<BySlot> ping = OverMemory({.messages = 100, .lanes = kLanes, .gap = 1.0, .burst = 50});
  while (wire_.posts[kLanes - 1] == 0) Steps(ping, 1);
  EXPECT_THAT(wire_.posts, Each(std::uint64_t{kWindow}));
  wire_.Answer(1, 0);
  Steps(ping);
  EXPECT_THAT(wire_.posts, ElementsAre(kWindow, kWindow + 1, kWindow));
}

TEST_F(OpenPingTest, SendsNothingBeforeItIsDue) {
  TestPing<BySlot> ping = OverMemory({});
  Steps(ping, 1000);
  EXPECT_EQ(wire_.posts[0], 1U);
  EXPECT_EQ(ping.completed(), 1U);
  EXPECT_EQ(ping.backlog_max(), 0U);
}

// What a closed loop would leave out.
TEST_F(OpenPingTest, CountsALateMessageFromItsPlannedTime) {
  constexpr std::uint64_t kGap = 100'000;
  constexpr std::uint64_t kStall = 20 * kGap;
  wire_.answers = false;
  TestPing<BySlot> ping = OverMemory({.messages = 10, .gap = kGap});
  Steps(ping, 1);
  const std::uint64_t started = ping.first_ticks();
  for (const std::uint64_t start = clock_.Now(); clock_.Now() < start + kStall;) Steps(ping, 1);
  Steps(ping, 1);
  EXPECT_EQ(ping.backlog_max(), 10U - kWindow);
  for (std::uint32_t slot = 0; slot < kWindow; ++slot) wire_.Answer(0, slot);
  wire_.answers = true;
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  ASSERT_THAT(response_.ticks, SizeIs(10));
  for (std::uint64_t i = 0; i < 10; ++i) {
    EXPECT_GE(started + i * kGap + response_.ticks[i], started + kStall) << "message " << i;
  }
  for (std::size_t i = kWindow; i < 10; ++i) {
    EXPECT_GE(response_.ticks[i] - service_.ticks[i], kStall - i * kGap) << "message " << i;
  }
}

TEST_F(OpenPingTest, OffersTheRateOfItsPlanHoweverLateItIs) {
  constexpr double kGap = 10.0;
  TestPing<BySlot> ping = OverMemory({.messages = 1000, .lanes = kLanes, .gap = kGap});
  Run(ping);
  EXPECT_NEAR(ping.offered_per_tick(), kLanes / kGap, 1e-9);
}

TEST_F(OpenPingTest, SendsASmallBacklogThatIsLeftWhenThePlanEnds) {
  constexpr std::uint32_t kMessages = 502;
  Wanted wanted = AtOnce(kMessages);
  wanted.messages = 1'000'000;
  TestPing<BySlot> ping = OverMemory(wanted);
  while (ping.sent() < 496) Steps(ping, 1);
  wire_.answers = false;
  Steps(ping);
  ping.Finish();
  EXPECT_EQ(ping.backlog_end(), 2U);
  for (std::uint32_t slot = 0; slot < kWindow; ++slot) wire_.Answer(0, slot);
  wire_.answers = true;
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_EQ(ping.planned(), kMessages);
  EXPECT_EQ(ping.sent(), kMessages);
  EXPECT_EQ(ping.completed(), kMessages);
}

TEST_F(OpenPingTest, SendsNothingOfALargeOne) {
  wire_.answers = false;
  Wanted wanted = AtOnce(500);
  wanted.messages = 1'000'000;
  TestPing<BySlot> ping = OverMemory(wanted);
  Steps(ping);
  ping.Finish();
  EXPECT_FALSE(ping.Done()) << "before what is under way is answered";
  for (std::uint32_t slot = 0; slot < kWindow; ++slot) wire_.Answer(0, slot);
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_EQ(ping.planned(), 500U);
  EXPECT_EQ(ping.sent(), std::uint64_t{kWindow});
  EXPECT_EQ(ping.backlog_end(), 500U - kWindow);
}

// Beyond what can be planned in the time of a pass each pass would take longer than the one before.
TEST_F(OpenPingTest, EndsAPassAtAnImpossibleRate) {
  wire_.answers = false;
  TestPing<BySlot> ping = OverMemory({.messages = ~std::uint64_t{0}, .gap = 1e-6});
  Steps(ping, 100);
  EXPECT_EQ(wire_.posts[0], std::uint64_t{kWindow});
}

TEST_F(OpenPingTest, MarksNoMessageAsTheOneBeforeInItsSlot) {
  TestPing<BySlot> ping = OverMemory(AtOnce(600 * kWindow));
  Run(ping);
  EXPECT_FALSE(wire_.has_repeated_a_mark);
}

TEST_F(OpenPingTest, WaitsForRoomWhereItsRequestsHaveNotCompleted) {
  wire_.completes = false;
  TestPing<BySlot> ping = OverMemory(AtOnce(100));
  Steps(ping, 20);
  EXPECT_EQ(wire_.posts[0], std::uint64_t{kWindow});
  EXPECT_FALSE(ping.Done());
  wire_.completes = true;
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_EQ(wire_.posts[0], 100U);
}

TEST_F(OpenPingTest, IgnoresAnAnswerToNothing) {
  TestPing<ByCompletion> ping = Make({}, ByCompletion{});
  Steps(ping);
  ASSERT_EQ(ping.completed(), 1U);
  wire_.completions.push_back({});
  Steps(ping);
  EXPECT_EQ(ping.completed(), 1U);
}

// Replies that get lost, or come in another order: all slots are looked at.
class LossyOpenPingTest : public OpenPingTest {
 protected:
  // Long enough for a test that gets no processor for a while.
  static constexpr std::uint64_t kTimeout = 200'000'000;
  TestPing<BySlot> Lossy(std::uint32_t messages, std::uint64_t timeout = kTimeout) {
    Wanted wanted = AtOnce(messages);
    wanted.in_order = false;
    wanted.reply_timeout = timeout;
    return OverMemory(wanted);
  }
};

TEST_F(LossyOpenPingTest, TellsMessagesApartWhateverTheOrderOfTheirAnswers) {
  wire_.answers = false;
  TestPing<BySlot> ping = Lossy(2 * kWindow);
  Steps(ping);
  wire_.Answer(0, 2);
  Steps(ping);
  EXPECT_EQ(ping.completed(), 1U);
  wire_.Answer(0, 1);
  Steps(ping);
  EXPECT_EQ(ping.completed(), 2U);
  EXPECT_THAT(wire_.slots, ElementsAre(0, 1, 2, 3, 2, 1));
}

TEST_F(LossyOpenPingTest, CountsLostRepliesAndEnds) {
  wire_.answers = false;
  TestPing<BySlot> ping = Lossy(10, 1000);
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_EQ(ping.lost(), 10U);
  EXPECT_EQ(ping.completed(), 0U);
  EXPECT_EQ(ping.sent(), 10U);
}

TEST_F(LossyOpenPingTest, GoesOnBesideALostReply) {
  wire_.answers = false;
  TestPing<BySlot> ping = Lossy(100);
  Steps(ping);
  wire_.answers = true;
  for (std::uint32_t slot = 1; slot < kWindow; ++slot) wire_.Answer(0, slot);
  EXPECT_EQ(Run(ping).outcome, Outcome::kDone);
  EXPECT_EQ(ping.lost(), 1U);
  EXPECT_EQ(ping.completed(), 99U);
  EXPECT_THAT(response_.ticks, SizeIs(99));
}

TEST_F(LossyOpenPingTest, DropsAReplyThatComesTooLateOrTwice) {
  wire_.answers = false;
  TestPing<BySlot> ping = Lossy(kWindow + 1);
  Steps(ping);
  const std::byte late = wire_.leaving[Wire::LastByte(0, 0)];
  while (ping.lost() < kWindow) Steps(ping, 1);
  Steps(ping);
  ASSERT_EQ(wire_.posts[0], kWindow + 1U);
  ASSERT_EQ(wire_.slots.back(), 0U);
  wire_.arriving[Wire::LastByte(0, 0)] = late;
  Steps(ping);
  EXPECT_EQ(ping.completed(), 0U);
  wire_.Answer(0, 0);
  Steps(ping);
  EXPECT_EQ(ping.completed(), 1U);
  wire_.arriving[Wire::LastByte(0, 0)] = late;
  Steps(ping);
  wire_.Answer(0, 0);
  Steps(ping);
  EXPECT_EQ(ping.completed(), 1U);
}

TEST_F(OpenPingTest, LosesNothingWithoutATimeout) {
  wire_.answers = false;
  TestPing<BySlot> ping = OverMemory(AtOnce(100));
  Steps(ping, 1000);
  EXPECT_EQ(ping.lost(), 0U);
}

TEST_F(OpenPingTest, ReportsAPostThatFails) {
  wire_.post_error = ENOMEM;
  TestPing<BySlot> ping = OverMemory({});
  const LoopResult result = Run(ping);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.failure.what, Failure::What::kPost);
  EXPECT_EQ(result.failure.code, ENOMEM);
}

TEST_F(OpenPingTest, ReportsAnErrorCompletion) {
  wire_.status = IBV_WC_RETRY_EXC_ERR;
  TestPing<ByCompletion> ping = Make({}, ByCompletion{});
  const LoopResult result = Run(ping);
  EXPECT_EQ(result.failure.what, Failure::What::kCompletion);
  EXPECT_EQ(result.failure.code, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(OpenPingTest, ReportsAPollThatFails) {
  wire_.poll_error = -5;
  TestPing<ByCompletion> ping = Make({}, ByCompletion{});
  EXPECT_EQ(Run(ping).failure.code, -5);
}

}  // namespace
}  // namespace rdmabench
