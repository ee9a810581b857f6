#include "bench/ring.h"

#include <gtest/gtest.h>

#include <map>

namespace rdmabench {
namespace {

constexpr std::uint64_t kLocal = 0x10000;
constexpr std::uint64_t kRemote = 0x900000;

struct ShapeCase {
  RingShape shape;
  bool drains;
};

class RingShapeTest : public testing::TestWithParam<ShapeCase> {};

WorkRing MakeRing(const RingShape& shape, const SlotLayout& layout, bool inline_data = false) {
  return {shape,
          layout,
          {.lane = 3,
           .first_slot = 0,
           .local = {.addr = kLocal, .key = 11},
           .target = {.addr = kRemote, .rkey = 22},
           .inline_data = inline_data},
          FindOp("write"),
          FindQpType("rc")};
}

TEST_P(RingShapeTest, SaysWhetherAFullQueueCanLockUp) {
  EXPECT_EQ(GetParam().shape.Drains(), GetParam().drains);
}

TEST_P(RingShapeTest, IsCutIntoWholeChainsAndSignallingGroups) {
  const RingShape& shape = GetParam().shape;
  if (!shape.Drains()) return;
  EXPECT_GE(shape.Length(), shape.window);
  EXPECT_EQ(shape.Length() % shape.post_list, 0U);
  EXPECT_EQ(shape.Length() % shape.signal_every, 0U);
  WorkRing ring = MakeRing(shape, SlotLayout(shape.message_bytes, shape.Length(), 1 << 20));
  const auto requests = ring.requests();
  ASSERT_EQ(requests.size(), shape.Length());
  for (std::uint32_t i = 0; i < requests.size(); ++i) {
    const bool ends_chain = (i + 1) % shape.post_list == 0;
    EXPECT_EQ(requests[i].next, ends_chain ? nullptr : &requests[i + 1]);
    EXPECT_EQ((requests[i].send_flags & IBV_SEND_SIGNALED) != 0, (i + 1) % shape.signal_every == 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RingShapeTest,
    testing::Values(ShapeCase{{64, 128, 1, 1}, true}, ShapeCase{{64, 128, 1, 100}, true},
                    ShapeCase{{64, 128, 32, 32}, true}, ShapeCase{{64, 128, 32, 100}, true},
                    ShapeCase{{64, 128, 32, 8}, true}, ShapeCase{{64, 1, 1, 1}, true},
                    ShapeCase{{64, 16, 16, 16}, true}, ShapeCase{{64, 16, 1, 17}, false},
                    ShapeCase{{64, 16, 8, 15}, false}, ShapeCase{{64, 16, 17, 1}, false},
                    ShapeCase{{64, 22, 8, 15}, true}, ShapeCase{{64, 21, 8, 15}, false}));

TEST(WorkRing, PointsEachRequestAtItsOwnSlotOnBothSides) {
  const RingShape shape{100, 4, 1, 1};
  WorkRing ring = MakeRing(shape, SlotLayout(100, 4, 1 << 20));
  for (std::size_t i = 0; i < 4; ++i) {
    const ibv_send_wr& request = ring.requests()[i];
    EXPECT_EQ(request.sg_list->addr, kLocal + 128 * i);
    EXPECT_EQ(request.wr.rdma.remote_addr, kRemote + 128 * i);
    EXPECT_EQ(request.sg_list->length, 100U);
    EXPECT_EQ(request.sg_list->lkey, 11U);
    EXPECT_EQ(request.wr.rdma.rkey, 22U);
    EXPECT_EQ(request.wr_id, 3U);
    EXPECT_EQ(request.opcode, IBV_WR_RDMA_WRITE);
  }
}

TEST(WorkRing, SendsInlineWhenTold) {
  WorkRing ring = MakeRing({64, 4, 1, 2}, SlotLayout(64, 4, 1 << 20), true);
  for (const ibv_send_wr& request : ring.requests()) {
    EXPECT_NE(request.send_flags & IBV_SEND_INLINE, 0U);
  }
}

TEST(WorkRing, GoesThroughAllItsSlotsInTheirOrderAndBackToTheFirst) {
  RingShape shape{64, 4, 1, 2};
  shape.rules.slots = 10;
  shape.rules.random = true;
  ASSERT_EQ(shape.Length(), 10U);
  const std::vector<std::uint32_t> order = SlotOrder(shape.rules, 10, 0);
  WorkRing ring = MakeRing(shape, SlotLayout(64, 10, 1 << 20, shape.rules));
  for (std::uint32_t i = 0; i < 10; ++i) {
    EXPECT_EQ(ring.requests()[i].sg_list->addr, kLocal + order[i] * 64);
    EXPECT_EQ(ring.requests()[i].wr.rdma.remote_addr, kRemote + order[i] * 64);
  }
}

TEST(WorkRing, UsesEachSlotAsOftenAsAnyWhereTheWindowIsNoMultipleOfThem) {
  RingShape shape{64, 128, 1, 4};
  shape.rules.slots = 96;
  EXPECT_EQ(shape.Length(), 192U);
  WorkRing ring = MakeRing(shape, SlotLayout(64, 96, 1 << 20, shape.rules));
  std::map<std::uint64_t, int> uses;
  for (const ibv_send_wr& request : ring.requests()) ++uses[request.wr.rdma.remote_addr];
  EXPECT_EQ(uses.size(), 96U);
  for (const auto& [addr, count] : uses) EXPECT_EQ(count, 2) << addr;
}

TEST(WorkRing, IsNoShorterThanItsWindowWhereSlotsAreFewer) {
  RingShape shape{64, 4, 1, 2};
  shape.rules.slots = 1;
  EXPECT_EQ(shape.Length(), 4U);
  WorkRing ring = MakeRing(shape, SlotLayout(64, 1, 1 << 20, shape.rules));
  for (const ibv_send_wr& request : ring.requests()) EXPECT_EQ(request.sg_list->addr, kLocal);
}

TEST(SlotLayout, AliasesSlotsThatWouldExceedTheFootprint) {
  const SlotLayout layout(4096, 1000, 16 * 4096);
  EXPECT_EQ(layout.slots, 16U);
  EXPECT_EQ(layout.Bytes(), 16U * 4096);
  EXPECT_EQ(layout.Offset(16), layout.Offset(0));
}

TEST(SlotLayout, HasOneSlotEvenWhereAMessageIsLargerThanTheFootprint) {
  EXPECT_EQ(SlotLayout(1 << 20, 10, 4096).slots, 1U);
}

}  // namespace
}  // namespace rdmabench
