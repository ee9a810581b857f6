// What a plan says of how long and how often to measure.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/clash.h"
#include "bench/plan.h"

namespace rdmabench {
namespace {

TEST(PlanLength, ComesBackWithAnEndByTheIntervalOfTheMean) {
  TestPlan test;
  test.test = "write_bw";
  test.run.until_ci_percent = 0.5;
  test.run.max_time_ms = 9000;
  const RunOptions back = PlanFromJson(PlanToJson({.tests = {test}})).tests[0].run;
  EXPECT_EQ(back.until_ci_percent, 0.5);
  EXPECT_EQ(back.LongestMs(), 9000U);
}

TEST(PlanLength, IsBoundedInTimeWhereOnlyTheIntervalIsGiven) {
  RunOptions run;
  run.until_ci_percent = 1.0;
  EXPECT_EQ(run.LongestMs(), 60'000U);
}

TEST(PlanLength, HasAWarmUpOfAtMostTenTimesTheLeast) {
  RunOptions run;
  EXPECT_EQ(run.LongestWarmupMs(), 2000U);
  run.warmup_max_ms = 300;
  EXPECT_EQ(run.LongestWarmupMs(), 300U);
}

class LengthClash : public testing::TestWithParam<Clash> {};

TEST_P(LengthClash, IsRefusedNamingBoth) { ExpectRefusedNamingBoth(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Rules, LengthClash,
    testing::Values(Clash{"send_bw",
                          [](TestPlan& plan) {
                            plan.run.until_ci_percent = 1.0;
                            plan.run.iterations = 8;
                          },
                          "--until", "--iters"},
                    Clash{"send_bw",
                          [](TestPlan& plan) {
                            plan.run.until_ci_percent = 1.0;
                            plan.run.until_interrupted = true;
                          },
                          "--until", "--run-infinitely"},
                    Clash{"send_lat",
                          [](TestPlan& plan) {
                            plan.run.until_ci_percent = 1.0;
                            plan.run.rate.messages_per_second = 1000;
                          },
                          "--until", "a rate in a latency test"},
                    Clash{"send_lat",
                          [](TestPlan& plan) {
                            plan.run.runs = 6;
                            plan.run.rate_sweep = {1000, 2000};
                          },
                          "--runs", "--rate-sweep"},
                    Clash{"send_bw", [](TestPlan& plan) { plan.run.max_time_ms = 1000; },
                          "--max-time", "needs --until"},
                    Clash{"send_bw",
                          [](TestPlan& plan) {
                            plan.run.runs = 2;
                            plan.run.until_interrupted = true;
                          },
                          "--runs", "--run-infinitely"},
                    Clash{"send_bw", [](TestPlan& plan) { plan.run.warmup_max_ms = 100; },
                          "--warmup-max", "a longer --warmup"}));

}  // namespace
}  // namespace rdmabench
