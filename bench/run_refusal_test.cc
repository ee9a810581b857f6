// What the server answers to a plan that it does not accept, before anything is made for it:
// whether it is a refusal of what the client asks for, or its own failure.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "bench/run_fixture.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;

constexpr unsigned kNoCpu = 65000;

struct Answer {
  const char* name;
  void (*ask)(Plan& plan, ServeOptions& server);
  const char* text;
  bool is_refusal;
};
void PrintTo(const Answer& answer, std::ostream* out) { *out << answer.name; }

class Answers : public RunFixture, public testing::WithParamInterface<Answer> {};

TEST_P(Answers, TellWhetherTheServerRefusesOrFails) {
  Plan plan = PlanOf("write_bw", {64}, 100);
  GetParam().ask(plan, server_);
  // What either side would need first of all.
  fake::Faults faults;
  faults.failing_call = "ibv_alloc_pd";
  fake::Inject(faults);
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_THAT(ending.server->what(), HasSubstr(GetParam().text));
  EXPECT_EQ(ending.server->is_refusal(), GetParam().is_refusal);
  EXPECT_THAT(ending.client->what(), HasSubstr(GetParam().text));
}

constexpr Answer kAnswers[] = {
    {"Limit",
     [](Plan& plan, ServeOptions& server) {
       plan.tests[0].queue.queue_pairs = 3;
       server.limits.queue_pairs = 2;
     },
     "allows 2", true},
    {"Memory",
     [](Plan& plan, ServeOptions&) {
       plan.tests[0].memory.working_set_bytes = kWorkingSetBytes.high;
     },
     "bytes of memory", true},
    {"Range", [](Plan& plan, ServeOptions&) { plan.tests[0].queue.queue_pairs = 1'000'000'000; },
     "queue_pairs", true},
    {"Clash", [](Plan& plan, ServeOptions&) { plan.tests[0].queue.threads = 2; }, "--threads",
     true},
    {"Mtu", [](Plan& plan, ServeOptions&) { plan.tests[0].link.mtu_bytes = 4096; }, "--mtu 4096",
     true},
    {"PlaceThatTheServersOwnChoiceForbids",
     [](Plan& plan, ServeOptions& server) {
       plan.remote.numa_node = 0;
       server.local.placement.cpus = {0};
     },
     "--remote-numa-node", true},
    {"PlaceThatIsNotThere", [](Plan& plan, ServeOptions&) { plan.remote.cpus = {kNoCpu}; },
     "--remote-cpus", true},
    {"DeviceThatTheClientNames", [](Plan& plan, ServeOptions&) { plan.remote.devices = {"nope0"}; },
     "nope0", true},
    {"DeviceThatTheServersOwnChoiceForbids",
     [](Plan& plan, ServeOptions& server) {
       plan.remote.devices = {"fake0"};
       server.local.devices = {"fake0"};
     },
     "--remote-device", true},
    {"DeviceOfTheServersThatIsGone",
     [](Plan&, ServeOptions& server) { server.local.devices = {"nope0"}; }, "nope0", false},
    {"CpuOfTheServersThatIsGone",
     [](Plan&, ServeOptions& server) { server.local.placement.cpus = {kNoCpu}; }, "--cpus", false},
};

INSTANTIATE_TEST_SUITE_P(Kinds, Answers, testing::ValuesIn(kAnswers),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rdmabench
