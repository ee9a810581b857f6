#include "bench/memory_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/clash.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;
using testing::ThrowsMessage;

class MemoryClash : public testing::TestWithParam<Clash> {};

TEST_P(MemoryClash, IsRefusedNamingBoth) { ExpectRefusedNamingBoth(GetParam()); }

void UseDeviceMemory(TestPlan& plan) { plan.memory.kind = "dm"; }
void UseDeviceMemoryThere(TestPlan& plan) { plan.memory.remote_kind = "dm"; }

INSTANTIATE_TEST_SUITE_P(
    Rules, MemoryClash,
    testing::Values(Clash{"write_lat", UseDeviceMemory, "--memory dm", "write_lat"},
                    Clash{"write_lat", UseDeviceMemoryThere, "--remote-memory dm", "write_lat"},
                    Clash{"write_bw",
                          [](TestPlan& plan) {
                            UseDeviceMemory(plan);
                            plan.run.verify = true;
                          },
                          "--memory dm", "--verify"},
                    Clash{"write_bw",
                          [](TestPlan& plan) {
                            UseDeviceMemory(plan);
                            plan.queue.inline_bytes = 64;
                          },
                          "--inline-size", "--memory dm"},
                    Clash{"write_bw",
                          [](TestPlan& plan) {
                            UseDeviceMemoryThere(plan);
                            plan.queue.inline_bytes = 64;
                            plan.queue.bidirectional = true;
                          },
                          "--inline-size", "--remote-memory dm"},
                    Clash{"write_bw",
                          [](TestPlan& plan) {
                            UseDeviceMemoryThere(plan);
                            plan.queue.inline_bytes = 64;
                            plan.queue.reversed = true;
                          },
                          "--inline-size", "--remote-memory dm"},
                    Clash{"send_lat",
                          [](TestPlan& plan) {
                            UseDeviceMemoryThere(plan);
                            plan.queue.inline_bytes = 64;
                          },
                          "--inline-size", "--remote-memory dm"},
                    Clash{"read_bw",
                          [](TestPlan& plan) {
                            UseDeviceMemory(plan);
                            plan.memory.relaxed_ordering = true;
                          },
                          "--relaxed-ordering on", "--memory dm"},
                    Clash{"send_imm_lat",
                          [](TestPlan& plan) {
                            UseDeviceMemory(plan);
                            plan.queue.qp_type = "ud";
                            plan.run.rate.messages_per_second = 1000;
                          },
                          "--memory dm", "a rate"},
                    Clash{"write_bw",
                          [](TestPlan& plan) {
                            plan.memory.access = "same";
                            plan.memory.working_set_bytes = 1 << 20;
                          },
                          "--working-set", "--access same"},
                    Clash{"write_bw",
                          [](TestPlan& plan) {
                            plan.memory.access = "random";
                            plan.run.verify = true;
                          },
                          "--access", "--verify"},
                    Clash{"write_lat",
                          [](TestPlan& plan) { plan.memory.working_set_bytes = 1 << 20; },
                          "--working-set", "write_lat"},
                    Clash{"read_lat",
                          [](TestPlan& plan) {
                            plan.memory.access = "random";
                            plan.run.rate.messages_per_second = 1000;
                          },
                          "--access", "a rate in a latency test"},
                    Clash{"fetch_add_bw", [](TestPlan& plan) { plan.memory.align_bytes = 4; },
                          "--align 4", "fetch_add_bw"},
                    Clash{"cmp_swap_bw", [](TestPlan& plan) { plan.memory.offset_bytes = 12; },
                          "--offset 12", "cmp_swap_bw"},
                    Clash{"send_bw",
                          [](TestPlan& plan) { plan.memory.mr_per_qp = plan.queue.use_srq = true; },
                          "--mr-per-qp", "--use-srq"}));

TestPlan PlanOf(const char* test) {
  TestPlan plan;
  plan.test = test;
  return plan;
}

TEST(ValidateMemory, AllowsDeviceMemoryWhereTheProcessorHasNothingToDoWithMessages) {
  for (const char* test : {"write_bw", "read_bw", "read_lat", "send_bw", "send_lat"}) {
    TestPlan plan = PlanOf(test);
    plan.memory.kind = "dm";
    EXPECT_NO_THROW(Validate({.tests = {plan}})) << test;
  }
}

// Only what is posted is inline.
TEST(ValidateMemory, AllowsInlineBesideDeviceMemoryOfASideThatPostsNothing) {
  TestPlan plan = PlanOf("write_bw");
  plan.queue.inline_bytes = 64;
  plan.memory.remote_kind = "dm";
  EXPECT_NO_THROW(Validate({.tests = {plan}}));
  plan.memory.kind = "dm";
  plan.memory.remote_kind = "host";
  plan.queue.reversed = true;
  EXPECT_NO_THROW(Validate({.tests = {plan}}));
  plan.memory.remote_kind.reset();
  EXPECT_THROW(Validate({.tests = {plan}}), Error);
}

TEST(ValidateMemory, RefusesAnOrderThatIsNoneNamingTheKnownOnes) {
  TestPlan plan = PlanOf("write_bw");
  plan.memory.access = "backwards";
  try {
    Validate({.tests = {plan}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("'backwards'"));
    EXPECT_THAT(error.remedy(), HasSubstr("sequential, random, same"));
  }
}

TEST(ValidateMemory, RefusesAnAlignmentThatIsNoPowerOfTwo) {
  TestPlan plan = PlanOf("write_bw");
  plan.memory.align_bytes = 96;
  EXPECT_THAT([&] { Validate({.tests = {plan}}); }, ThrowsMessage<Error>(HasSubstr("--align 96")));
}

TEST(ValidateMemory, RefusesAKindOfTheServersThatIsNone) {
  TestPlan plan = PlanOf("write_bw");
  plan.memory.remote_kind = "huge";
  EXPECT_THAT([&] { Validate({.tests = {plan}}); }, ThrowsMessage<Error>(HasSubstr("\"huge\"")));
}

}  // namespace
}  // namespace rdmabench
