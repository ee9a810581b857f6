// What a run says of messages that got lost, came twice, or came late: each planted fault is
// counted exactly, on both ways to number messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/run_fixture.h"
#include "report/report.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using report::Arrivals;

constexpr std::uint64_t kMessages = 1000;

struct Kind {
  const char* test;
  const char* qp_type;
};

class RunDelivery : public RunFixture {
 protected:
  // Without warm-up, whose messages would be counted by the fake, too.
  static Plan PlanOf(const Kind& kind, std::uint64_t message_bytes, std::uint64_t iterations) {
    Plan plan = RunFixture::PlanOf(kind.test, {message_bytes}, iterations);
    plan.tests[0].queue.qp_type = kind.qp_type;
    plan.tests[0].run.warmup_ms = 0;
    // A duplicate takes a receive request that the sender counts on; so there are enough for all.
    plan.tests[0].queue.recv_depth = 8192;
    return plan;
  }

  report::Result Measure(const Plan& plan) {
    const Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    EXPECT_FALSE(fake::AnyOverrun());
    const bool has_one = ending.report.results.size() == 1 && ending.report.results[0].complete;
    EXPECT_TRUE(has_one);
    if (!has_one) return {.traffic = {{}}};
    for (const report::Check& check : ending.report.results[0].checks) {
      // So short runs of two sides need not be under way together.
      if (check.name == "directions_overlap") continue;
      EXPECT_TRUE(check.ok) << check.name << ": " << check.text;
    }
    return ending.report.results[0];
  }

  static void Expect(const report::Direction& direction, std::uint64_t lost,
                     const Arrivals& arrivals) {
    ASSERT_TRUE(direction.delivery && direction.received);
    EXPECT_EQ(direction.delivery->lost, lost);
    EXPECT_EQ(direction.delivery->loss_ratio,
              static_cast<double>(lost) / static_cast<double>(direction.sent.messages));
    EXPECT_EQ(direction.delivery->arrivals, arrivals);
    EXPECT_EQ(direction.received->messages, direction.sent.messages - lost + arrivals.duplicated);
  }
};

// All that can be numbered.
class Delivery : public RunDelivery, public testing::WithParamInterface<Kind> {
 protected:
  void ExpectOf(const fake::Faults& faults, std::uint64_t lost, const Arrivals& arrivals,
                std::uint64_t messages = kMessages) {
    fake::Inject(faults);
    const report::Result result = Measure(PlanOf(GetParam(), 64, messages));
    Expect(result.traffic[0], lost, arrivals);
    EXPECT_EQ(result.messages, messages - lost + arrivals.duplicated) << "what has arrived";
  }
};

TEST_P(Delivery, OfAllMessagesFindsNothing) { ExpectOf({}, 0, {}); }

TEST_P(Delivery, CountsLostMessages) {
  ExpectOf({.lose_at_message = 50, .lost_messages = 7}, 7, {});
}

TEST_P(Delivery, CountsALostTailAndEnds) {
  ExpectOf({.lose_at_message = kMessages - 20, .lost_messages = 1'000}, 21, {});
}

TEST_P(Delivery, CountsAsLostAllMessagesWhenNoneComes) {
  ExpectOf({.lose_at_message = 1, .lost_messages = kMessages}, kMessages, {});
}

TEST_P(Delivery, CountsADuplicatedMessage) {
  ExpectOf({.duplicate_at_message = 50}, 0, {.duplicated = 1});
}

TEST_P(Delivery, CountsADuplicatedLastMessage) {
  ExpectOf({.duplicate_at_message = kMessages}, 0, {.duplicated = 1});
}

TEST_P(Delivery, CountsAReorderedMessage) {
  ExpectOf({.late_at_message = 50, .late_by_messages = 5}, 0,
           {.reordered = 1, .furthest_behind = 5});
}

TEST_P(Delivery, CountsADuplicateThatComesLater) {
  ExpectOf({.duplicate_at_message = 50, .late_at_message = 50, .late_by_messages = 300}, 0,
           {.duplicated = 1});
}

TEST_P(Delivery, DoesNotTakeADuplicateForALostMessage) {
  ExpectOf({.lose_at_message = kMessages, .duplicate_at_message = 50}, 1, {.duplicated = 1});
}

TEST_P(Delivery, CountsWhatComesAfterAWholeWindowAsLate) {
  ExpectOf({.late_at_message = 50, .late_by_messages = 5000}, 0, {.late = 1}, 6000);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Delivery,
                         testing::Values(Kind{"send_bw", "uc"}, Kind{"send_bw", "ud"},
                                         Kind{"send_imm_bw", "uc"}, Kind{"send_imm_bw", "ud"},
                                         Kind{"write_imm_bw", "uc"}),
                         [](const auto& row) {
                           return std::string(row.param.test) + "_" + row.param.qp_type;
                         });

TEST_F(RunDelivery, OfMessagesTooShortForANumberIsCountedOnly) {
  fake::Inject({.lose_at_message = 50});
  const report::Result result = Measure(PlanOf({"send_bw", "ud"}, 4, kMessages));
  ASSERT_TRUE(result.traffic[0].delivery);
  EXPECT_EQ(result.traffic[0].delivery->lost, 1U);
  EXPECT_FALSE(result.traffic[0].delivery->arrivals);
}

TEST_F(RunDelivery, OfAWriteOnUcIsNotKnown) {
  Plan plan = PlanOf({"write_bw", "uc"}, 64, kMessages);
  plan.tests[0].queue.recv_depth.reset();
  const report::Result result = Measure(plan);
  ASSERT_TRUE(result.traffic[0].delivery);
  EXPECT_FALSE(result.traffic[0].delivery->lost);
}

TEST_F(RunDelivery, OnRcIsAcknowledged) {
  fake::Inject({.lose_at_message = 50, .duplicate_at_message = 60});
  const report::Result result = Measure(PlanOf({"send_bw", "rc"}, 64, kMessages));
  EXPECT_FALSE(result.traffic[0].delivery);
  EXPECT_EQ(result.messages, kMessages);
}

// Slots that requests name by more than their first bytes, and warm-ups before.
TEST_F(RunDelivery, OfLongMessagesOnManyQueuePairsFindsNothingAfterAWarmup) {
  Plan plan = PlanOf({"send_bw", "uc"}, 2000, 500);
  plan.tests[0].queue.queue_pairs = 5;
  plan.tests[0].queue.threads = 2;
  plan.tests[0].queue.recv_depth = 30;
  plan.tests[0].run.warmup_ms = 20;
  Expect(Measure(plan).traffic[0], 0, {});
}

TEST_F(RunDelivery, IsCountedOfEachDirectionForItself) {
  fake::Inject({.lose_at_message = 50, .lost_messages = 3});
  Plan plan = PlanOf({"send_imm_bw", "ud"}, 64, kMessages);
  plan.tests[0].queue.bidirectional = true;
  const report::Result result = Measure(plan);
  ASSERT_EQ(result.traffic.size(), 2U);
  std::uint64_t lost = 0;
  for (const report::Direction& direction : result.traffic) {
    ASSERT_TRUE(direction.delivery && direction.delivery->lost);
    Expect(direction, *direction.delivery->lost, {});
    lost += *direction.delivery->lost;
  }
  EXPECT_EQ(lost, 3U);
}

// A receive request of a lost message is still posted, and the receiver says so.
class LossOfCredits : public RunDelivery, public testing::WithParamInterface<bool> {};

TEST_P(LossOfCredits, HoldsUpNothing) {
  constexpr std::uint64_t kLost = 100;
  fake::Inject({.lose_at_message = 50, .lost_messages = kLost});
  Plan plan = PlanOf({"send_imm_bw", "ud"}, 64, kMessages);
  plan.tests[0].queue.use_srq = GetParam();
  plan.tests[0].queue.queue_pairs = 2;
  plan.tests[0].queue.recv_depth = 8;
  plan.tests[0].queue.recv_post_list = 2;
  Expect(Measure(plan).traffic[0], kLost, {});
}

INSTANTIATE_TEST_SUITE_P(Queues, LossOfCredits, testing::Bool());

}  // namespace
}  // namespace rdmabench
