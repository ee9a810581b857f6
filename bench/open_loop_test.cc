#include "bench/open_loop.h"

#include <gtest/gtest.h>

#include "bench/clash.h"
#include "bench/plan.h"

namespace rdmabench {
namespace {

TestPlan PlanOf(const char* test, const char* qp_type = "rc") {
  TestPlan plan;
  plan.test = test;
  plan.queue.qp_type = qp_type;
  plan.run.rate.messages_per_second = 1000;
  return plan;
}

TEST(OpenLoop, IsALatencyTestWithARate) {
  EXPECT_TRUE(IsOpenLoop(PlanOf("send_lat")));
  EXPECT_FALSE(IsOpenLoop(PlanOf("send_bw")));
  TestPlan plan = PlanOf("send_lat");
  plan.run.rate = {};
  EXPECT_FALSE(IsOpenLoop(plan));
  plan.run.rate_sweep = {1};
  EXPECT_TRUE(IsOpenLoop(plan));
}

TEST(OpenLoop, NamesItsMessagesWhereTheirOrderDoesNotTell) {
  EXPECT_TRUE(NamesSlots(PlanOf("write_lat")));
  EXPECT_FALSE(NamesSlots(PlanOf("send_lat")));
  EXPECT_FALSE(NamesSlots(PlanOf("read_lat")));
  EXPECT_TRUE(NamesSlotsInPayload(PlanOf("send_lat", "ud")));
  EXPECT_FALSE(NamesSlotsInPayload(PlanOf("send_imm_lat", "ud")));
  EXPECT_FALSE(NamesSlotsInPayload(PlanOf("write_lat", "uc")));
}

class OpenLoopClash : public testing::TestWithParam<Clash> {};

TEST_P(OpenLoopClash, IsRefusedNamingBoth) { ExpectRefusedNamingBoth(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Rules, OpenLoopClash,
    testing::Values(Clash{"read_bw", [](TestPlan& plan) { plan.run.rate_sweep = {1}; },
                          "--rate-sweep", "read_bw"},
                    Clash{"read_bw",
                          [](TestPlan& plan) {
                            plan.run.slo_percentile = 99;
                            plan.run.slo_ns = 1;
                          },
                          "--slo", "read_bw"},
                    Clash{"read_lat",
                          [](TestPlan& plan) {
                            plan.run.rate.bits_per_second = 1e9;
                            plan.run.rate_sweep = {1};
                          },
                          "--rate-sweep", "--rate"},
                    Clash{"read_lat",
                          [](TestPlan& plan) {
                            plan.run.rate.bits_per_second = 1e9;
                            plan.run.slo_percentile = 99;
                            plan.run.slo_ns = 1;
                          },
                          "--slo", "--rate"},
                    Clash{"read_lat",
                          [](TestPlan& plan) {
                            plan.run.until_interrupted = true;
                            plan.run.rate_sweep = {1};
                          },
                          "--run-infinitely", "several rates"},
                    Clash{"read_lat", [](TestPlan& plan) { plan.run.slo_percentile = 99; },
                          "slo_percentile", "needs run.slo_ns"},
                    Clash{"read_lat", [](TestPlan& plan) { plan.run.slo_ns = 99; }, "slo_ns",
                          "needs run.slo_percentile"},
                    Clash{"write_bw", [](TestPlan& plan) { plan.run.arrival = "poisson"; },
                          "--arrival", "needs --rate"},
                    Clash{"write_bw", [](TestPlan& plan) { plan.run.arrival_seed = 1; },
                          "--arrival-seed", "needs --arrival poisson"},
                    Clash{"send_lat",
                          [](TestPlan& plan) {
                            plan.queue.qp_type = "ud";
                            plan.run.message_bytes = {1};
                            plan.run.rate.bits_per_second = 1e9;
                          },
                          "--size 1", "a rate on --connection ud"},
                    Clash{"send_lat",
                          [](TestPlan& plan) {
                            plan.queue.qp_type = "uc";
                            plan.queue.send_depth = 257;
                            plan.run.rate.bits_per_second = 1e9;
                          },
                          "--tx-depth 257", "a rate on --connection uc"},
                    Clash{"read_lat",
                          [](TestPlan& plan) {
                            plan.run.slo_percentile = 99.9;
                            plan.run.slo_ns = 1000;
                            plan.run.rate_sweep = {1000, 6000};
                          },
                          "--slo needs 12500 messages", "the lowest has 2000"},
                    Clash{"read_lat",
                          [](TestPlan& plan) {
                            plan.run.slo_percentile = 100;
                            plan.run.slo_ns = 1000;
                          },
                          "--slo", "between 0 and 100"},
                    Clash{"read_lat", [](TestPlan& plan) { plan.run.arrival = "sometimes"; },
                          "--arrival", "sometimes"}));

}  // namespace
}  // namespace rdmabench
