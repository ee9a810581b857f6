#include "bench/receive_ring.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Notes the addresses of each chain that is posted.
struct Posts {
  std::vector<std::vector<std::uint64_t>> chains;
  std::vector<std::uint64_t> numbers;  // wr_id of each request
  int error = 0;
};

int Note(Posts& posts, const ibv_recv_wr* request) {
  if (posts.error != 0) return posts.error;
  posts.chains.emplace_back();
  for (; request != nullptr; request = request->next) {
    posts.chains.back().push_back(request->sg_list->addr);
    posts.numbers.push_back(request->wr_id);
  }
  return 0;
}

int PostRecv(ibv_qp* qp, ibv_recv_wr* request, ibv_recv_wr** /*bad*/) {
  return Note(*static_cast<Posts*>(qp->qp_context), request);
}

int PostSrqRecv(ibv_srq* srq, ibv_recv_wr* request, ibv_recv_wr** /*bad*/) {
  return Note(*static_cast<Posts*>(srq->srq_context), request);
}

constexpr std::uint32_t kSlot = 64;

class ReceiveRingTest : public ::testing::Test {
 protected:
  ReceiveRingTest() {
    context_.ops.post_recv = PostRecv;
    context_.ops.post_srq_recv = PostSrqRecv;
    qp_.context = srq_.context = &context_;
    qp_.qp_context = &posts_;
    srq_.srq_context = &shared_posts_;
  }

  ReceiveRing Make(std::uint32_t depth, std::uint32_t chain, ibv_srq* srq = nullptr,
                   std::uint32_t slots = 0) {
    ReceiveShape shape{.depth = depth, .chain = chain, .slot_bytes = kSlot};
    shape.rules.slots = slots;
    return {shape,
            LayoutFor(shape, 1),
            {.queue = 3, .first_slot = 0, .memory = {.addr = 0}, .qp = &qp_, .srq = srq}};
  }
  static void Use(ReceiveRing& ring, std::uint32_t messages) {
    for (std::uint32_t i = 0; i < messages; ++i) {
      if (ring.Took()) {
        ASSERT_EQ(ring.Repost(), 0);
      }
    }
  }

  ibv_context context_{};
  ibv_qp qp_{};
  ibv_srq srq_{};
  Posts posts_;
  Posts shared_posts_;
};

TEST_F(ReceiveRingTest, PostsNothingUntilItIsFilled) {
  Make(4, 2);
  EXPECT_THAT(posts_.chains, IsEmpty());
}

TEST_F(ReceiveRingTest, FillsTheQueueChainByChainEachRequestWithASlotOfItsOwn) {
  ReceiveRing ring = Make(6, 2);
  EXPECT_EQ(ring.Fill(), 0);
  EXPECT_THAT(posts_.chains, ElementsAre(ElementsAre(0, kSlot), ElementsAre(2 * kSlot, 3 * kSlot),
                                         ElementsAre(4 * kSlot, 5 * kSlot)));
  EXPECT_THAT(posts_.numbers, ::testing::Each(3U));
}

TEST_F(ReceiveRingTest, CountsNothingAsReturnedWhenItHasOnlyBeenFilled) {
  ReceiveRing ring = Make(6, 2);
  ring.Fill();
  EXPECT_EQ(ring.returned(), 0U);
}

TEST_F(ReceiveRingTest, AsksForAPostWhenAWholeChainIsUsed) {
  ReceiveRing ring = Make(8, 4);
  ring.Fill();
  EXPECT_FALSE(ring.Took());
  EXPECT_FALSE(ring.Took());
  EXPECT_FALSE(ring.Took());
  EXPECT_TRUE(ring.Took());
}

TEST_F(ReceiveRingTest, PostsItsChainsInTurn) {
  ReceiveRing ring = Make(4, 2);
  ring.Fill();
  posts_.chains.clear();
  Use(ring, 7);
  EXPECT_THAT(posts_.chains, ElementsAre(ElementsAre(0, kSlot), ElementsAre(2 * kSlot, 3 * kSlot),
                                         ElementsAre(0, kSlot)));
  EXPECT_EQ(ring.returned(), 6U);
}

TEST_F(ReceiveRingTest, TopsUpExactlyWhatWasUsedOfAChain) {
  ReceiveRing ring = Make(8, 4);
  ring.Fill();
  Use(ring, 7);
  posts_.chains.clear();
  EXPECT_EQ(ring.TopUp(), 0);
  EXPECT_THAT(posts_.chains, ElementsAre(::testing::SizeIs(3)));
  EXPECT_EQ(ring.returned(), 7U);
}

TEST_F(ReceiveRingTest, TopsUpNothingWhenTheQueueIsFull) {
  ReceiveRing ring = Make(8, 4);
  ring.Fill();
  Use(ring, 4);
  posts_.chains.clear();
  EXPECT_EQ(ring.TopUp(), 0);
  EXPECT_THAT(posts_.chains, IsEmpty());
}

TEST_F(ReceiveRingTest, PostsWholeChainsAgainAfterATopUp) {
  ReceiveRing ring = Make(8, 4);
  ring.Fill();
  Use(ring, 1);
  ring.TopUp();
  posts_.chains.clear();
  Use(ring, 8);
  EXPECT_THAT(posts_.chains, ElementsAre(::testing::SizeIs(4), ::testing::SizeIs(4)));
}

class ReceiveSlots : public ReceiveRingTest, public ::testing::WithParamInterface<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(AsManyAsRequestsAndMore, ReceiveSlots, ::testing::Values(6, 10));

// Requests are used in the order in which they were posted, so that slots go round.
TEST_P(ReceiveSlots, AreKnownOfTheNextMessageAlsoAfterTopUps) {
  constexpr std::uint32_t kDepth = 6;
  const std::uint32_t slots = GetParam();
  ReceiveRing ring = Make(kDepth, 2, nullptr, slots);
  ring.Fill();
  std::uint64_t used = 0;
  for (const std::uint32_t messages : {1U, 2U, 5U, 3U, 4U, 7U}) {
    for (std::uint32_t i = 0; i < messages; ++i, ++used) {
      ASSERT_EQ(ring.front_addr(), used % slots * kSlot) << used;
      Use(ring, 1);
    }
    ring.TopUp();
  }
  std::uint64_t posted = 0;
  for (const std::vector<std::uint64_t>& chain : posts_.chains) {
    for (const std::uint64_t addr : chain) ASSERT_EQ(addr, posted++ % slots * kSlot) << posted;
  }
  EXPECT_EQ(posted, used + kDepth);
}

TEST_F(ReceiveRingTest, CountsFromZeroAfterARestart) {
  ReceiveRing ring = Make(4, 2);
  ring.Fill();
  Use(ring, 4);
  ring.Restart();
  EXPECT_EQ(ring.returned(), 0U);
  Use(ring, 2);
  EXPECT_EQ(ring.returned(), 2U);
}

TEST_F(ReceiveRingTest, PostsToTheSharedQueueWhereThereIsOne) {
  ReceiveRing ring = Make(4, 2, &srq_);
  ring.Fill();
  EXPECT_THAT(posts_.chains, IsEmpty());
  EXPECT_THAT(shared_posts_.chains, ::testing::SizeIs(2));
}

TEST_F(ReceiveRingTest, SaysWhatAFailedPostReturnedAndCountsItNot) {
  ReceiveRing ring = Make(4, 2);
  ring.Fill();
  posts_.error = ENOMEM;
  ring.Took();
  EXPECT_EQ(ring.TopUp(), ENOMEM);
  ring.Took();
  EXPECT_EQ(ring.Repost(), ENOMEM);
  EXPECT_EQ(ring.returned(), 0U);
  EXPECT_EQ(Make(4, 2).Fill(), ENOMEM);
}

}  // namespace
}  // namespace rdmabench
