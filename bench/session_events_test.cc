#include "bench/session_events.h"

#include <gtest/gtest.h>

namespace rdmabench {
namespace {

TestPlan PlanOf(std::string test) {
  TestPlan plan;
  plan.test = std::move(test);
  plan.queue.qp_type = "rc";
  plan.queue.queue_pairs = 4;
  return plan;
}

SideRun SideThatSent(std::uint64_t messages, std::uint64_t bytes, double seconds) {
  SideRun side;
  side.sent = report::Traffic{.messages = messages, .bytes = bytes, .window_seconds = seconds};
  return side;
}

TEST(SessionEvents, SayWhatThePlanIs) {
  const Plan plan{.tests = {PlanOf("write_bw"), PlanOf("send_lat"), PlanOf("write_bw")}};
  EXPECT_EQ(PlanAgreed(plan, 3).text, "plan: write_bw rc ×2, send_lat rc");
  EXPECT_EQ(PlanAgreed(plan, 1).text,
            "plan: write_bw rc ×2, send_lat rc, of which 2 tests are refused");
}

TEST(SessionEvents, NameEightTestsOfALongPlan) {
  Plan plan;
  for (int i = 0; i < 9; ++i) plan.tests.push_back(PlanOf("test" + std::to_string(i)));
  EXPECT_EQ(
      PlanAgreed(plan, 9).text,
      "plan: test0 rc, test1 rc, test2 rc, test3 rc, test4 rc, test5 rc, test6 rc, test7 rc …");
}

TEST(SessionEvents, SayWhatBegins) {
  const Event event = TestStarted(PlanOf("write_bw"), 1, 3, 1);
  EXPECT_EQ(event.text, "write_bw rc begins, 4 queue pairs, 3 sizes");
}

TEST(SessionEvents, SayWhichRunOfHowManyAndOverHowManyDevices) {
  TestPlan plan = PlanOf("write_bw");
  plan.run.runs = 5;
  EXPECT_EQ(TestStarted(plan, 2, 1, 3).text,
            "write_bw rc begins, 4 queue pairs, 2 devices, 1 sizes, run 3 of 5");
}

TEST(SessionEvents, SayTheRateByTheClientsAccount) {
  const auto event = SizeMeasured(PlanOf("write_bw"), 4096, SideThatSent(1, 4096, 1.0),
                                  SideThatSent(1000, 4'096'000, 0.5));
  ASSERT_TRUE(event);
  EXPECT_EQ(event->text, "write_bw rc 4096 B: 1000 messages, 0.066 Gb/s");
}

TEST(SessionEvents, SayTheRateByThisSidesAccountWhereTheClientSentNothing) {
  const auto event = SizeMeasured(PlanOf("send_lat"), 2, SideThatSent(500, 1000, 0.5), {});
  ASSERT_TRUE(event);
  EXPECT_EQ(event->text, "send_lat rc 2 B: 500 messages, 1000 a second");
}

TEST(SessionEvents, SayNothingWhereNothingWasSent) {
  EXPECT_FALSE(SizeMeasured(PlanOf("write_bw"), 4096, {}, {}));
}

}  // namespace
}  // namespace rdmabench
