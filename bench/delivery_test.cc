#include "bench/delivery.h"

#include <gtest/gtest.h>

#include "bench/test.h"

namespace rdmabench {
namespace {

report::Direction Counted(std::uint64_t sent, std::uint64_t received) {
  report::Direction direction;
  direction.sent.messages = sent;
  direction.received = report::Traffic{.messages = received};
  return direction;
}

const Test& Send() { return FindTest("send_bw"); }

TEST(Delivery, OfWhatIsAcknowledgedOrAnsweredHasNothingToSay) {
  EXPECT_FALSE(DeliveryOf(Send(), FindQpType("rc"), Counted(9, 9), {}));
  EXPECT_FALSE(DeliveryOf(FindTest("send_lat"), FindQpType("ud"), Counted(9, 8), {}));
}

TEST(Delivery, IsNotKnownWhereNothingCounts) {
  const report::Direction direction{.sent = {.messages = 9}};
  const auto delivery = DeliveryOf(FindTest("write_bw"), FindQpType("uc"), direction, {});
  ASSERT_TRUE(delivery);
  EXPECT_FALSE(delivery->lost);
}

TEST(Delivery, CountsAsLostWhatWasSentAndHasNotCome) {
  const auto delivery = DeliveryOf(Send(), FindQpType("uc"), Counted(1000, 990), {});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->lost, 10U);
  EXPECT_EQ(delivery->loss_ratio, 0.01);
  EXPECT_FALSE(delivery->arrivals);
}

TEST(Delivery, CountsARepeatedMessageOnce) {
  const report::Arrivals arrivals{.duplicated = 30, .reordered = 2, .late = 1};
  const auto delivery = DeliveryOf(Send(), FindQpType("ud"), Counted(1000, 1020), arrivals);
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->lost, 10U);
  EXPECT_EQ(delivery->arrivals, arrivals);
}

TEST(Delivery, LosesNoneWhereMoreHaveComeThanWereSent) {
  const auto delivery = DeliveryOf(Send(), FindQpType("ud"), Counted(1000, 1001), {});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->lost, 0U);
}

TEST(Delivery, OfNothingHasNoLoss) {
  const auto delivery = DeliveryOf(Send(), FindQpType("ud"), Counted(0, 0), {});
  ASSERT_TRUE(delivery);
  EXPECT_EQ(delivery->loss_ratio, 0.0);
}

}  // namespace
}  // namespace rdmabench
