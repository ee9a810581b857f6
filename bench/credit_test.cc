#include "bench/credit.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <memory>

#include "transport/device.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kQueues = 2;

Device OpenFake() {
  fake::Reset();
  return Device::Open("fake0");
}

// The control endpoints of a sender and its receiver on one device.
class CreditTest : public ::testing::Test {
 protected:
  CreditTest() {
    EndpointOptions options;
    options.type = &FindQpType("rc");
    options.gid = device_.info().ports.front().gids.front();
    options.send_depth = kQueues;
    options.memory_kind = &FindMemoryKind("host");
    options.own_bytes = options.exposed_bytes = CreditBytes(kQueues);
    options.access = IBV_ACCESS_REMOTE_WRITE;
    sender_ = std::make_unique<Endpoint>(device_, options);
    receiver_ = std::make_unique<Endpoint>(device_, options);
    sender_->Connect(receiver_->Local());
    receiver_->Connect(sender_->Local());
    Credits::Restart(*sender_, kQueues);
  }

  // The count that a queue's receiver has written into the sender's memory.
  std::uint64_t& Count(std::uint32_t queue) {
    return reinterpret_cast<std::uint64_t*>(sender_->exposed_data())[queue];
  }
  Credits MakeCredits(const Credits::Options& options) {
    return {*sender_, kQueues, options, clock_};
  }
  // How many messages may go until the answer is no.
  static std::uint64_t Use(Credits& credits, std::uint32_t lane, std::uint32_t post_list = 1) {
    std::uint64_t messages = 0;
    while (credits.MayPost(lane, messages)) messages += post_list;
    return messages;
  }

  const TickClock clock_{TickSource::kSystem};
  const Device device_ = OpenFake();
  std::unique_ptr<Endpoint> sender_;
  std::unique_ptr<Endpoint> receiver_;
};

TEST_F(CreditTest, LetsAsManyGoAheadAsTheQueueIsDeep) {
  Credits credits = MakeCredits({.depth = 8});
  EXPECT_EQ(Use(credits, 0), 8U);
}

TEST_F(CreditTest, LetsOneMoreGoForEachCredit) {
  Credits credits = MakeCredits({.depth = 8});
  Use(credits, 0);
  Count(0) = 3;
  EXPECT_EQ(Use(credits, 0), 3U);
  Count(0) = 11;
  EXPECT_EQ(Use(credits, 0), 8U);
}

TEST_F(CreditTest, LetsWholePostsGoOnly) {
  Credits credits = MakeCredits({.depth = 8, .post_list = 3});
  EXPECT_EQ(Use(credits, 0, 3), 6U);
  Count(0) = 1;
  EXPECT_EQ(Use(credits, 0, 3), 3U);
}

TEST_F(CreditTest, CountsEachQueueForItself) {
  Credits credits = MakeCredits({.depth = 8});
  EXPECT_EQ(Use(credits, 0), 8U);
  EXPECT_EQ(Use(credits, 1), 8U);
  Count(1) = 2;
  EXPECT_EQ(Use(credits, 0), 0U);
  EXPECT_EQ(Use(credits, 1), 2U);
}

TEST_F(CreditTest, HasAllQueuePairsShareAQueueThatIsShared) {
  Credits credits = MakeCredits({.depth = 8, .is_shared = true});
  for (std::uint32_t lane = 0; lane < 8; ++lane) EXPECT_TRUE(credits.MayPost(lane, 0));
  EXPECT_FALSE(credits.MayPost(8, 0));
  Count(0) = 1;
  EXPECT_TRUE(credits.MayPost(9, 0));
  EXPECT_FALSE(credits.MayPost(9, 0));
}

TEST_F(CreditTest, ForgivesNothingWithoutPatience) {
  Credits credits = MakeCredits({.depth = 8});
  Use(credits, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(credits.MayPost(0, 0));
}

TEST_F(CreditTest, ForgivesNothingWithinItsPatience) {
  constexpr std::uint64_t kAnHour = 3'600'000'000'000;
  Credits credits = MakeCredits({.depth = 8, .patience_ticks = kAnHour});
  Use(credits, 0);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(credits.MayPost(0, 0));
}

TEST_F(CreditTest, TakesAllThatWasSentForGoneAfterItsPatience) {
  Credits credits = MakeCredits({.depth = 8, .patience_ticks = 1});
  ASSERT_EQ(Use(credits, 0), 8U);
  while (!credits.MayPost(0, 0)) {
  }
  EXPECT_EQ(Use(credits, 0), 7U);
}

// Their requests are still posted, so what arrives later is on top of nothing.
TEST_F(CreditTest, CountsOnlyWhatDidNotComeAsGone) {
  Credits credits = MakeCredits({.depth = 8, .patience_ticks = 1});
  Use(credits, 0);
  Count(0) = 6;
  ASSERT_EQ(Use(credits, 0), 6U);
  while (!credits.MayPost(0, 0)) {
  }
  EXPECT_EQ(Use(credits, 0), 7U);
  Count(0) = 7;
  EXPECT_EQ(Use(credits, 0), 1U);
}

// Whether these have come or not, the count does not say.
TEST_F(CreditTest, ForgivesNoneThatMayWaitForItsChainToBePostedAgain) {
  for (const bool counts_lost : {false, true}) {
    Credits::Restart(*sender_, kQueues);
    Credits credits =
        MakeCredits({.depth = 8, .chain = 4, .patience_ticks = 1, .counts_lost = counts_lost});
    Use(credits, 0);
    Count(0) = 4;
    ASSERT_EQ(Use(credits, 0), 4U);
    while (!credits.MayPost(0, 0)) {
    }
    EXPECT_EQ(Use(credits, 0), 4U) << "with the one before five, for three requests are missing";
    Count(0) = 12;
    EXPECT_EQ(Use(credits, 0), counts_lost ? 3U : 8U);
  }
}

// A count that has lost messages, too, comes to what was forgiven when a later one has arrived.
TEST_F(CreditTest, ForgivesNothingTwiceWhereTheCountHasWhatWasLost) {
  Credits credits = MakeCredits({.depth = 8, .patience_ticks = 1, .counts_lost = true});
  Use(credits, 0);
  Count(0) = 6;
  ASSERT_EQ(Use(credits, 0), 6U);
  while (!credits.MayPost(0, 0)) {
  }
  EXPECT_EQ(Use(credits, 0), 7U);
  Count(0) = 15;  // the first of the eight has come, and with it those before are settled
  EXPECT_EQ(Use(credits, 0), 1U);
}

TEST_F(CreditTest, CountsFromZeroAfterARestart) {
  Count(0) = Count(1) = 5;
  Credits::Restart(*sender_, kQueues);
  Credits credits = MakeCredits({.depth = 8});
  EXPECT_EQ(Use(credits, 0), 8U);
  EXPECT_EQ(Use(credits, 1), 8U);
}

class CreditReturnTest : public CreditTest {
 protected:
  CreditReturn credit_{*receiver_, kQueues};
};

TEST_F(CreditReturnTest, WritesTheCountIntoTheSendersMemory) {
  EXPECT_TRUE(credit_.idle());
  EXPECT_TRUE(credit_.Return(1, 4));
  EXPECT_EQ(Count(1), 4U);
  EXPECT_EQ(Count(0), 0U);
  EXPECT_FALSE(credit_.idle());
  EXPECT_TRUE(credit_.Step());
  EXPECT_TRUE(credit_.idle());
}

TEST_F(CreditReturnTest, HasAtMostOneCountOfAQueueOnItsWay) {
  credit_.Return(0, 1);
  for (std::uint64_t count = 2; count <= 100; ++count) {
    EXPECT_TRUE(credit_.Return(0, count));
    EXPECT_EQ(Count(0), 1U);
  }
}

TEST_F(CreditReturnTest, BringsTheLastCountWhenTheOneBeforeHasArrived) {
  for (std::uint64_t count = 1; count <= 5; ++count) credit_.Return(0, count);
  credit_.Step();
  EXPECT_EQ(Count(0), 5U);
  EXPECT_FALSE(credit_.idle());
  credit_.Step();
  EXPECT_TRUE(credit_.idle());
}

TEST_F(CreditReturnTest, SendsTheCountsOfDifferentQueuesSideBySide) {
  credit_.Return(0, 1);
  credit_.Return(1, 2);
  EXPECT_EQ(Count(0), 1U);
  EXPECT_EQ(Count(1), 2U);
  credit_.Step();
  EXPECT_TRUE(credit_.idle());
}

TEST_F(CreditReturnTest, CarriesEveryCountOfALongRun) {
  Credits credits = MakeCredits({.depth = 8});
  std::uint64_t sent = 0;
  for (std::uint64_t returned = 0; returned < 10'000; returned += 4) {
    sent += Use(credits, 0);
    ASSERT_GE(sent, returned + 4);
    ASSERT_TRUE(credit_.Return(0, returned + 4));
    ASSERT_TRUE(credit_.Step());
  }
  while (!credit_.idle()) ASSERT_TRUE(credit_.Step());
  EXPECT_EQ(Count(0), 10'000U);
}

TEST_F(CreditReturnTest, ReportsACountThatCannotBePosted) {
  fake::Inject({.failing_call = "ibv_post_send", .failing_errno = ENOMEM});
  EXPECT_FALSE(credit_.Return(0, 1));
  EXPECT_EQ(credit_.failure().what, Failure::What::kPost);
  EXPECT_EQ(credit_.failure().code, ENOMEM);
  EXPECT_EQ(credit_.failure().qpn, receiver_->queue_pairs().front()->qp_num);
}

TEST_F(CreditReturnTest, ReportsACountThatDoesNotArrive) {
  fake::Inject({.error_at_message = 1, .error_status = IBV_WC_RETRY_EXC_ERR});
  EXPECT_TRUE(credit_.Return(0, 1));
  EXPECT_FALSE(credit_.Step());
  EXPECT_EQ(credit_.failure().what, Failure::What::kCompletion);
  EXPECT_EQ(credit_.failure().code, IBV_WC_RETRY_EXC_ERR);
}

TEST_F(CreditReturnTest, ReportsAPollThatFails) {
  credit_.Return(0, 1);
  fake::Inject({.failing_call = "ibv_poll_cq"});
  EXPECT_FALSE(credit_.Step());
  EXPECT_EQ(credit_.failure().what, Failure::What::kPoll);
}

}  // namespace
}  // namespace rdmabench
