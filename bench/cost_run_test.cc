// What both sides of a run report of its surroundings: processor time, and what bounds the rate.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "bench/run_fixture.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class CostRunTest : public RunFixture {
 protected:
  // For long enough that processor time, which some kernels count in ticks, is above 0.
  report::Result Measured(const std::string& test) {
    Plan plan = PlanOf(test, {4096}, std::nullopt);
    plan.tests[0].run.duration_ms = 150;
    const Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_THAT(ending.report.results, SizeIs(1));
    return ending.report.results.at(0);
  }
};

TEST_F(CostRunTest, HasTheWorkersTimeOfASideThatMovesSomething) {
  const report::Result result = Measured("send_bw");
  for (const std::optional<report::CpuCost>& cost : {result.cpu.client, result.cpu.server}) {
    ASSERT_TRUE(cost && cost->workers);
    EXPECT_GT(cost->workers->Sum(), 0.0);
    EXPECT_LE(cost->workers->Sum(), cost->elapsed_seconds);
    EXPECT_GE(cost->elapsed_seconds, result.window_seconds);
    // Both sides' workers are this process' threads.
    EXPECT_GE(cost->process.Sum(), cost->workers->Sum());
    EXPECT_TRUE(cost->host_softirq_seconds);
    EXPECT_TRUE(!cost->events.empty() || !cost->why_no_events.empty());
  }
}

TEST_F(CostRunTest, HasNoWorkersTimeOfASideThatOnlyLooksOn) {
  const report::Result result = Measured("write_bw");
  ASSERT_TRUE(result.cpu.client && result.cpu.server);
  EXPECT_TRUE(result.cpu.client->workers);
  EXPECT_FALSE(result.cpu.server->workers);
  EXPECT_GE(result.cpu.server->elapsed_seconds, result.window_seconds);
}

TEST_F(CostRunTest, SaysWhatBoundsARateAndNothingOfLatency) {
  const report::Result rate = Measured("write_bw");
  ASSERT_TRUE(rate.bounds);
  ASSERT_FALSE(rate.bounds->limits.empty());
  EXPECT_THAT(rate.bounds->limits.front().text, HasSubstr("both ends are one port"));
  EXPECT_FALSE(Measured("write_lat").bounds);
}

}  // namespace
}  // namespace rdmabench
