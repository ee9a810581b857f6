// What an echo makes of messages that say which they are.
#include "bench/open_answers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <utility>

#include "bench/echo.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::FieldsAre;
using ::testing::IsEmpty;

constexpr std::uint32_t kWindow = 3;
constexpr std::uint32_t kBytes = 4;
constexpr std::uint32_t kStride = 64;
constexpr std::uint32_t kHeadroom = 40;

struct Answered {
  std::uint32_t slot;
  std::uint8_t mark;
  std::uint32_t immediate;
};

// One lane, whose requests complete when the test lets them, and what was answered.
struct Wire {
  std::vector<std::byte> arriving = std::vector<std::byte>(kWindow * kStride);
  std::vector<std::byte> leaving = std::vector<std::byte>(kWindow * kStride);
  std::deque<ibv_wc> sent;
  std::deque<ibv_wc> received;
  bool completes = true;
  std::vector<Answered> answers;
};
Wire* wire = nullptr;

struct TestChannel {
  static int Post(ibv_qp* /*qp*/, const ibv_send_wr* request) {
    const std::uint64_t offset =
        request->sg_list->addr - reinterpret_cast<std::uintptr_t>(wire->leaving.data());
    wire->answers.push_back({static_cast<std::uint32_t>(offset / kStride), LastByteOf(*request),
                             ntohl(request->imm_data)});
    wire->sent.emplace_back();
    return 0;
  }
  static int Poll(ibv_cq* cq, ibv_wc* completions, int most) {
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

int PostRecv(ibv_qp* /*qp*/, ibv_recv_wr* /*chain*/, ibv_recv_wr** /*bad*/) { return 0; }

class NamedEchoTest : public ::testing::Test {
 protected:
  NamedEchoTest() {
    wire = &wire_;
    context_.ops.post_recv = PostRecv;
    qp_.context = &context_;
    send_cq_.cq_context = &wire_.sent;
    recv_cq_.cq_context = &wire_.received;
  }
  ~NamedEchoTest() override { wire = nullptr; }

  Lanes<TestChannel> MakeLanes() {
    const RingShape shape{.message_bytes = kBytes, .window = kWindow, .own_slots = true};
    std::vector<Lane> lanes;
    lanes.push_back(
        {&qp_, WorkRing(shape, LayoutFor(shape, 1),
                        {.local = {.addr = reinterpret_cast<std::uintptr_t>(wire_.leaving.data())}},
                        FindOp("send_imm"), FindQpType("rc"))});
    return {shape, std::move(lanes), {&send_cq_}};
  }
  Echo<TestChannel, BySlot> OverMemory(bool in_order) {
    return {MakeLanes(),
            BySlot({.arriving = wire_.arriving.data() + kBytes - 1,
                    .leaving = wire_.leaving.data() + kBytes - 1,
                    .stride = kStride,
                    .slots = kWindow,
                    .in_order = in_order}),
            expected_};
  }
  template <class Naming>
  Echo<TestChannel, ByReceiveOf<Naming>> OverReceives() {
    const ReceiveShape shape{
        .depth = kWindow, .chain = kWindow, .slot_bytes = kBytes + kHeadroom, .own_slots = true};
    rings_.emplace_back(
        shape, LayoutFor(shape, 1),
        ReceiveRing::Place{
            .memory = {.addr = reinterpret_cast<std::uintptr_t>(wire_.arriving.data())},
            .qp = &qp_});
    return {MakeLanes(), ByReceiveOf<Naming>(rings_, {&recv_cq_}), expected_};
  }
  void Mark(std::uint32_t slot, std::uint8_t value) {
    wire_.arriving[slot * kStride + kBytes - 1] = std::byte{value};
  }
  void Arrive(std::uint32_t bytes, std::uint32_t immediate = 0) {
    ibv_wc wc{};
    wc.byte_len = bytes;
    wc.imm_data = htonl(immediate);
    wire_.received.push_back(wc);
  }

  Wire wire_;
  ibv_context context_{};
  ibv_qp qp_{};
  ibv_cq send_cq_{};
  ibv_cq recv_cq_{};
  std::vector<ReceiveRing> rings_;
  std::atomic<std::uint64_t> expected_{~std::uint64_t{0}};
};

TEST_F(NamedEchoTest, AnswersInTheSlotWithTheMarkThatItSaw) {
  Echo echo = OverMemory(true);
  Mark(0, 7);
  Mark(1, 9);
  echo.Step();
  echo.Step();
  EXPECT_THAT(wire_.answers, ElementsAre(FieldsAre(0, 7, 0), FieldsAre(1, 9, 0)));
}

TEST_F(NamedEchoTest, GoesRoundItsSlots) {
  Echo echo = OverMemory(true);
  for (std::uint8_t mark = 1; mark <= 3; ++mark) {
    for (std::uint32_t slot = 0; slot < kWindow; ++slot) {
      Mark(slot, mark);
      echo.Step();
      ASSERT_EQ(wire_.answers.back().slot, slot);
      ASSERT_EQ(wire_.answers.back().mark, mark);
    }
  }
  EXPECT_EQ(echo.completed(), 9U);
}

TEST_F(NamedEchoTest, AnswersWhatComesAfterALostMessage) {
  Echo echo = OverMemory(false);
  Mark(2, 7);
  echo.Step();
  EXPECT_THAT(wire_.answers, ElementsAre(FieldsAre(2, 7, 0)));
}

TEST_F(NamedEchoTest, OwesEachAnswerByItsName) {
  wire_.completes = false;
  Echo echo = OverMemory(false);
  for (std::uint32_t slot = 0; slot < kWindow; ++slot) Mark(slot, 1);
  echo.Step();
  Mark(2, 2);
  echo.Step();
  Mark(0, 3);
  echo.Step();
  EXPECT_EQ(wire_.answers.size(), kWindow);
  EXPECT_TRUE(echo.starved());
  wire_.completes = true;
  echo.Step();
  EXPECT_FALSE(echo.starved());
  ASSERT_EQ(wire_.answers.size(), kWindow + 2);
  EXPECT_THAT(wire_.answers[kWindow], FieldsAre(2, 2, 0));
  EXPECT_THAT(wire_.answers[kWindow + 1], FieldsAre(0, 3, 0));
}

TEST_F(NamedEchoTest, RepeatsTheImmediate) {
  Echo echo = OverReceives<InImmediate>();
  Arrive(kBytes, 2U << 8 | 200);
  echo.Step();
  EXPECT_THAT(wire_.answers, ElementsAre(FieldsAre(2, 200, 2U << 8 | 200)));
}

TEST_F(NamedEchoTest, RepeatsTheEndOfThePayloadFromEachReceiveRequestInTurn) {
  Echo echo = OverReceives<InPayload>();
  for (std::uint32_t i = 0; i < 2 * kWindow; ++i) {
    const std::uint32_t end = i % kWindow * kStride + kHeadroom + kBytes;
    wire_.arriving[end - 2] = std::byte{1};
    wire_.arriving[end - 1] = static_cast<std::byte>(100 + i);
    Arrive(kHeadroom + kBytes);
    echo.Step();
    ASSERT_THAT(wire_.answers.back(), FieldsAre(1, 100 + i, 0));
    ASSERT_EQ(wire_.leaving[kStride + kBytes - 2], std::byte{1});
  }
}

// Whatever sends there, it is not the peer's ping.
TEST_F(NamedEchoTest, DoesNotAnswerASlotThatIsNone) {
  Echo by_immediate = OverReceives<InImmediate>();
  Arrive(kBytes, ~0U);
  by_immediate.Step();
  Arrive(kBytes, kWindow << 8);
  by_immediate.Step();
  EXPECT_THAT(wire_.answers, IsEmpty());
}

TEST_F(NamedEchoTest, DoesNotReadANameThatIsNotThere) {
  Echo echo = OverReceives<InPayload>();
  Arrive(1);
  echo.Step();
  EXPECT_THAT(wire_.answers, IsEmpty());
}

}  // namespace
}  // namespace rdmabench
