#include "bench/shape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint32_t kDevice = 16384;

TestPlan PlanOf(std::optional<std::uint64_t> iterations = {}) {
  TestPlan test;
  test.test = "write_bw";
  test.run.iterations = iterations;
  return test;
}

struct DepthCase {
  std::uint64_t bytes;
  std::uint32_t device;
  std::uint32_t expected;
};

class DepthTest : public testing::TestWithParam<DepthCase> {};

TEST_P(DepthTest, IsAHundredTwentyEightUnlessBytesOrTheDeviceLimitIt) {
  EXPECT_EQ(ShapeFor(PlanOf(), GetParam().bytes, GetParam().device).window, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, DepthTest,
                         testing::Values(DepthCase{64, kDevice, 128},
                                         DepthCase{131072, kDevice, 128},
                                         DepthCase{1 << 20, kDevice, 16},
                                         DepthCase{8 << 20, kDevice, 2},
                                         DepthCase{1 << 30, kDevice, 2}, DepthCase{64, 50, 50}));

struct CadenceCase {
  std::uint64_t bytes;
  std::optional<std::uint64_t> iterations;
  std::uint32_t post_list;
  std::uint32_t expected;
};

class CadenceTest : public testing::TestWithParam<CadenceCase> {};

TEST_P(CadenceTest, IsAQuarterOfTheQueueOrADivisorOfTheCountNearIt) {
  TestPlan test = PlanOf(GetParam().iterations);
  test.queue.post_list = GetParam().post_list;
  const RingShape shape = ShapeFor(test, GetParam().bytes, kDevice);
  EXPECT_EQ(shape.signal_every, GetParam().expected);
  EXPECT_TRUE(shape.Drains());
}

INSTANTIATE_TEST_SUITE_P(
    Counts, CadenceTest,
    testing::Values(CadenceCase{64, {}, 1, 32}, CadenceCase{65536, {}, 1, 1},
                    CadenceCase{64, 1000, 1, 25}, CadenceCase{64, 5, 1, 5},
                    CadenceCase{64, 1009, 1, 32},  // a prime: rounded up instead
                    CadenceCase{64, 128, 1, 32}, CadenceCase{64, {}, 10, 30},
                    CadenceCase{64, {}, 64, 64}, CadenceCase{65536, {}, 16, 16},
                    CadenceCase{64, 100, 20, 20}));

TEST(ShapeFor, TakesWhatWasAskedFor) {
  TestPlan test = PlanOf();
  test.queue.send_depth = 300;
  test.queue.signal_every = 100;
  test.queue.post_list = 10;
  const RingShape shape = ShapeFor(test, 1 << 20, kDevice);
  EXPECT_EQ(shape.window, 300U);
  EXPECT_EQ(shape.signal_every, 100U);
  EXPECT_EQ(shape.post_list, 10U);
}

TEST(ShapeFor, KeepsOneMessageOfEachQueuePairInOneSlotForLatency) {
  TestPlan test = PlanOf();
  test.test = "write_lat";
  const RingShape shape = ShapeFor(test, 64, kDevice);
  EXPECT_EQ(shape.signal_every, 1U);
  EXPECT_EQ(shape.Slots(), 1U);
}

// A completion a post, so that the window is known as closely as messages are sent.
TEST(ShapeFor, SignalsEveryPostOfAPacedRun) {
  TestPlan test = PlanOf();
  test.run.rate.messages_per_second = 1e6;
  test.queue.post_list = 4;
  EXPECT_EQ(ShapeFor(test, 64, kDevice).signal_every, 4U);
}

TEST(ShapeFor, RefusesADepthAboveTheDevicesWithBothNumbers) {
  TestPlan test = PlanOf();
  test.queue.send_depth = 300;
  EXPECT_THAT([&] { ShapeFor(test, 64, 200); },
              ThrowsMessage<Error>(AllOf(HasSubstr("300"), HasSubstr("200"))));
}

TEST(ShapeFor, RefusesAShapeThatWouldLockUpNamingBothOptions) {
  TestPlan test = PlanOf();
  test.queue.send_depth = 16;
  test.queue.post_list = 8;
  test.queue.signal_every = 15;
  EXPECT_THAT([&] { ShapeFor(test, 64, kDevice); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--post-list 8"), HasSubstr("--cq-mod 15"))));
}

TEST(ShapeFor, RefusesARingOfMillionsOfRequests) {
  TestPlan test = PlanOf();
  test.queue.send_depth = 32767;
  test.queue.post_list = 16383;
  test.queue.signal_every = 16384;
  EXPECT_THROW(ShapeFor(test, 64, 32768), Error);
}

TestPlan SendPlan() {
  TestPlan test;
  test.test = "send_bw";
  return test;
}

TEST(ReceiveShapeFor, IsNothingWhereNothingIsReceived) {
  EXPECT_EQ(ReceiveShapeFor(PlanOf(), 64, kDevice), ReceiveShape());
}

TEST(ReceiveShapeFor, HasRoomForTheLargestMessageAndWhatPrecedesIt) {
  TestPlan test = SendPlan();
  EXPECT_EQ(ReceiveShapeFor(test, 64, kDevice).slot_bytes, 64U);
  test.queue.qp_type = "ud";
  EXPECT_EQ(ReceiveShapeFor(test, 64, kDevice).slot_bytes, 104U);
}

TEST(ReceiveShapeFor, IsWholeChainsOfAQuarter) {
  const ReceiveShape shape = ReceiveShapeFor(SendPlan(), 64, kDevice);
  EXPECT_EQ(shape.depth, 512U);
  EXPECT_EQ(shape.chain, 128U);
}

TEST(ReceiveShapeFor, SharesOneCompletionQueueAmongManyQueuePairs) {
  TestPlan test = SendPlan();
  test.queue.queue_pairs = 64;
  EXPECT_EQ(ReceiveShapeFor(test, 64, kDevice).depth, kDevice / 64);
  test.queue.use_srq = true;
  EXPECT_EQ(ReceiveShapeFor(test, 64, kDevice).depth, 512U);
}

TEST(ReceiveShapeFor, RefusesADepthAboveTheDevicesWithBothNumbers) {
  TestPlan test = SendPlan();
  test.queue.recv_depth = 300;
  EXPECT_THAT([&] { ReceiveShapeFor(test, 64, 200); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--rx-depth 300"), HasSubstr("200"))));
}

TEST(ReceiveShapeFor, RefusesChainsThatWouldLockASenderUp) {
  TestPlan test = SendPlan();
  test.queue.recv_depth = 16;
  test.queue.recv_post_list = 16;
  EXPECT_NO_THROW(ReceiveShapeFor(test, 64, kDevice));
  test.queue.post_list = 2;
  EXPECT_THAT(
      [&] { ReceiveShapeFor(test, 64, kDevice); },
      ThrowsMessage<Error>(AllOf(HasSubstr("--post-list 2"), HasSubstr("--recv-post-list 16"))));
}

struct SizesCase {
  const char* test;
  const char* type;
  std::uint64_t expected;
};
class SizesTest : public testing::TestWithParam<SizesCase> {};

TEST_P(SizesTest, AreOneByMetricOpAndTypeWhereNoneIsGiven) {
  TestPlan test;
  test.test = GetParam().test;
  test.queue.qp_type = GetParam().type;
  EXPECT_THAT(SizesFor(test, 1024), testing::ElementsAre(GetParam().expected));
}

INSTANTIATE_TEST_SUITE_P(
    Defaults, SizesTest,
    testing::Values(SizesCase{"write_bw", "rc", 65536}, SizesCase{"send_bw", "ud", 1024},
                    SizesCase{"send_lat", "ud", 2}, SizesCase{"read_lat", "rc", 2},
                    SizesCase{"fetch_add_bw", "rc", 8}, SizesCase{"cmp_swap_lat", "rc", 8}));

TEST(SizesFor, AllAreThePowersOfTwoTo8MiBOrToTheMtuOfDatagrams) {
  TestPlan test = SendPlan();
  test.run.all_sizes = true;
  const std::vector<std::uint64_t> sizes = SizesFor(test, 1024);
  ASSERT_EQ(sizes.size(), 23U);
  EXPECT_EQ(sizes.front(), 2U);
  EXPECT_EQ(sizes.back(), 8U << 20);
  test.queue.qp_type = "ud";
  EXPECT_EQ(SizesFor(test, 1024).back(), 1024U);
}

TEST(SizesFor, RefusesADatagramBeyondTheMtuNamingBoth) {
  TestPlan test = SendPlan();
  test.queue.qp_type = "ud";
  test.run.message_bytes = {1025};
  EXPECT_THAT([&] { SizesFor(test, 1024); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--size 1025"), HasSubstr("1024"))));
}

TEST(QueuePairsOf, AreDealtEvenly) {
  QueueOptions queue;
  queue.queue_pairs = 5;
  queue.threads = 2;
  EXPECT_EQ(QueuePairsOf(queue, 0), 3U);
  EXPECT_EQ(QueuePairsOf(queue, 1), 2U);
}

// A message that is to be looked at must not be overwritten before.
TEST(LayoutFor, GivesEachVerifiedMessageMemoryOfItsOwn) {
  TestPlan test = PlanOf();
  test.run.verify = true;
  const RingShape shape = ShapeFor(test, 65536, kDevice);
  EXPECT_EQ(LayoutFor(shape, 256).slots, 256U * shape.Slots());
  test.test = "send_bw";
  const ReceiveShape receive = ReceiveShapeFor(test, 65536, kDevice);
  EXPECT_EQ(LayoutFor(receive, 256).slots, 256U * receive.depth);
}

TEST(ShapeFor, GoesThroughTheWorkingSetOfTheSide) {
  TestPlan test = PlanOf();
  test.queue.queue_pairs = 2;
  test.memory.working_set_bytes = 256 << 20;
  const RingShape shape = ShapeFor(test, 65536, kDevice);
  EXPECT_EQ(shape.window, 128U) << "as ever";
  EXPECT_EQ(shape.Length(), 2048U);
  EXPECT_EQ(LayoutFor(shape, 2).Bytes(), 256U << 20);
}

// Head-room of a datagram makes its slots larger, and so fewer.
TEST(ReceiveShapeFor, GoesThroughTheWorkingSetOfTheSide) {
  TestPlan test = PlanOf();
  test.test = "send_bw";
  test.queue.qp_type = "ud";
  test.memory.working_set_bytes = 8 << 20;
  const ReceiveShape shape = ReceiveShapeFor(test, 1024, kDevice);
  EXPECT_EQ(shape.depth, 512U) << "as ever";
  EXPECT_GT(shape.Length(), 7000U);
  EXPECT_EQ(shape.Length() % shape.chain, 0U);
  EXPECT_LE(LayoutFor(shape, 1).Bytes(), 8U << 20);
}

TEST(ShapeFor, KeepsOneSlotOfAQueuePairWhereAccessIsSame) {
  TestPlan test = PlanOf();
  test.memory.access = "same";
  const RingShape shape = ShapeFor(test, 65536, kDevice);
  EXPECT_EQ(shape.Length(), 128U);
  EXPECT_EQ(LayoutFor(shape, 3).Bytes(), 3U * 65536);
}

struct VerifiedDepthCase {
  std::uint64_t bytes;
  std::uint32_t post_list;
  std::uint32_t expected;
};
class VerifiedDepth : public testing::TestWithParam<VerifiedDepthCase> {};

TEST_P(VerifiedDepth, IsBoundByBytesButHasRoomForTwoPosts) {
  TestPlan test = PlanOf();
  test.test = "send_bw";
  test.run.verify = true;
  test.queue.post_list = GetParam().post_list;
  EXPECT_EQ(ReceiveShapeFor(test, GetParam().bytes, kDevice).depth, GetParam().expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, VerifiedDepth,
                         testing::Values(VerifiedDepthCase{64, 1, 512},
                                         VerifiedDepthCase{1 << 20, 1, 16},
                                         VerifiedDepthCase{8 << 20, 1, 2},
                                         VerifiedDepthCase{8 << 20, 8, 16}));

TEST(LayoutFor, StaysWithinTheFootprintForManyQueuePairs) {
  const RingShape shape{65536, 128, 1, 1};
  EXPECT_LE(LayoutFor(shape, 256).Bytes(), kMostSlotBytes);
  EXPECT_EQ(LayoutFor(shape, 1).Bytes(), 128U * 65536);
}

}  // namespace
}  // namespace rdmabench
