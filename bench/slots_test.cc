#include "bench/slots.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;
using testing::UnorderedElementsAreArray;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

MemoryOptions Within(std::uint64_t bytes) {
  MemoryOptions memory;
  memory.working_set_bytes = bytes;
  return memory;
}

TEST(SlotRules, AreNoneUnlessThePlanHasSome) {
  EXPECT_EQ(RulesFor({}, {.message_bytes = 64}), SlotRules());
  EXPECT_FALSE(HasAccess({}));
  EXPECT_TRUE(HasAccess(Within(kMiB)));
}

TEST(SlotRules, FillTheWorkingSet) {
  const SlotRules rules = RulesFor(Within(256 * kMiB), {.message_bytes = 65536});
  EXPECT_EQ(rules.slots, 4096U);
  EXPECT_EQ(SlotLayout(65536, rules.slots, ~std::uint64_t{0}, rules).Bytes(), 256 * kMiB);
}

TEST(SlotRules, DealTheWorkingSetToAllQueuePairsOfTheSide) {
  EXPECT_EQ(RulesFor(Within(256 * kMiB), {.message_bytes = 65536, .queues = 4}).slots, 1024U);
}

TEST(SlotRules, GiveARingAWholeNumberOfItsUnits) {
  EXPECT_EQ(RulesFor(Within(100 * 64), {.message_bytes = 64, .queues = 1, .unit = 32}).slots, 96U);
}

TEST(SlotRules, KeepARingShortWhereAUnitIsLongerThanTheSlots) {
  const auto rules = [](std::uint32_t slots, std::uint32_t unit) {
    return RulesFor(Within(slots * std::uint64_t{64}),
                    {.message_bytes = 64, .queues = 1, .unit = unit});
  };
  EXPECT_EQ(rules(96, 100).slots, 96U);
  EXPECT_EQ(rules(96, 100).RingLength(128, 100), 2400U);
  EXPECT_EQ(rules(999, 1000).slots, 980U);
  EXPECT_LE(rules(999, 1000).RingLength(1000, 1000), kMostSlotsOfQueue);
  EXPECT_EQ(rules(5, kMostSlotsOfQueue - 15).slots, 1U);
}

// Requests are prepared, so there are only so many; slots then lie as far apart as it takes.
TEST(SlotRules, SpreadSlotsWhereRequestsWouldBeTooMany) {
  const SlotRules rules = RulesFor(Within(1024 * kMiB), {.message_bytes = 64});
  EXPECT_EQ(rules.slots, kMostSlotsOfQueue);
  const SlotLayout layout(64, rules.slots, ~std::uint64_t{0}, rules);
  EXPECT_EQ(layout.stride, 16384U);
  EXPECT_EQ(layout.Bytes(), 1024 * kMiB);
}

TEST(SlotRules, BoundTheRequestsOfASide) {
  constexpr std::uint32_t kQueues = 1024;
  const SlotRules rules = RulesFor(Within(1024 * kMiB), {.message_bytes = 64, .queues = kQueues});
  EXPECT_LE(std::uint64_t{rules.slots} * kQueues, kMostSlotsOfSide);
  EXPECT_EQ(rules.stride * rules.slots * kQueues, 1024 * kMiB);
}

TEST(SlotRules, RefuseAWorkingSetWithoutRoomForAMessageOfEachQueuePair) {
  EXPECT_THAT([] { RulesFor(Within(65536), {.message_bytes = 32768, .queues = 3}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--working-set 65536"), HasSubstr("32768 bytes"),
                                         HasSubstr("3 queues"))));
}

TEST(SlotRules, HaveOneSlotWhereAccessIsSame) {
  MemoryOptions memory;
  memory.access = "same";
  EXPECT_EQ(RulesFor(memory, {.message_bytes = 64}).slots, 1U);
}

TEST(SlotLayout, PutsMessagesWhereTheyWereAskedToLie) {
  MemoryOptions memory;
  memory.align_bytes = 4096;
  memory.offset_bytes = 12;
  const SlotLayout layout(64, 4, 1 << 20, RulesFor(memory, {.message_bytes = 64}));
  EXPECT_EQ(layout.Offset(0), 12U);
  EXPECT_EQ(layout.Offset(3), 3 * 4096U + 12);
  EXPECT_EQ(layout.Bytes(), 4 * 4096U);
}

TEST(SlotLayout, HasRoomForTheOffsetInEachSlot) {
  MemoryOptions memory;
  memory.offset_bytes = 1;
  EXPECT_EQ(SlotLayout(64, 4, 1 << 20, RulesFor(memory, {.message_bytes = 64})).stride, 128U);
}

std::vector<std::uint32_t> InOrder(std::uint32_t count) {
  std::vector<std::uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0U);
  return order;
}

TEST(SlotOrder, IsThatOfMemoryUnlessItIsRandom) { EXPECT_EQ(SlotOrder({}, 100, 1), InOrder(100)); }

TEST(SlotOrder, HasEverySlotOnceAlsoAtRandom) {
  SlotRules rules;
  rules.random = true;
  const std::vector<std::uint32_t> order = SlotOrder(rules, 1000, 1);
  EXPECT_NE(order, InOrder(1000));
  EXPECT_THAT(order, UnorderedElementsAreArray(InOrder(1000)));
}

TEST(SlotOrder, IsTheSameInEveryRunAndAnotherForEachQueuePair) {
  SlotRules rules;
  rules.random = true;
  EXPECT_EQ(SlotOrder(rules, 1000, 1), SlotOrder(rules, 1000, 1));
  EXPECT_NE(SlotOrder(rules, 1000, 1), SlotOrder(rules, 1000, 2));
}

}  // namespace
}  // namespace rdmabench
