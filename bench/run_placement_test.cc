// Where both sides of a run put their threads and memory, and what they say of it. Both are this
// machine, of which no more is known than that it has a cpu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "bench/run_fixture.h"
#include "bench/site.h"
#include "report/host.h"
#include "transport/locality.h"
#include "transport/page_nodes.h"
#include "transport/placement.h"

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RunPlacement : public RunFixture {
 protected:
  // On a thread of its own, with which the memory policy ends that a run may set.
  Ending RunPingPong() {
    Ending ending;
    std::thread([&] { ending = Run(plan_); }).join();
    return ending;
  }

  Plan plan_ = PlanOf("send_lat", {64}, 20);
  const unsigned some_cpu_ = Locality().CpusNear(std::nullopt).front();
  static constexpr unsigned kNoCpu = 65000;
};

TEST_F(RunPlacement, IsThatOfTheCpusThatEachSideChose) {
  client_.placement.cpus = {some_cpu_};
  server_.local.placement.cpus = {some_cpu_};
  const Ending ending = RunPingPong();
  ASSERT_FALSE(ending.client) << ending.client->what();
  for (const report::Host& host : ending.report.hosts) {
    EXPECT_THAT(host.placement->worker_cpus, ElementsAre(some_cpu_));
    EXPECT_THAT(host.placement->ran_on_cpus, ElementsAre(some_cpu_));
    EXPECT_EQ(host.placement->worker_cores, 1U);
    EXPECT_THAT(host.placement->reason, HasSubstr("by --cpus"));
  }
}

TEST_F(RunPlacement, IsThatWhichTheClientAsksOfTheServer) {
  plan_.remote.cpus = {some_cpu_};
  const Ending ending = RunPingPong();
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_THAT(ending.report.hosts[1].placement->ran_on_cpus, ElementsAre(some_cpu_));
  EXPECT_THAT(ending.report.hosts[1].placement->reason, HasSubstr("by --remote-cpus"));
}

TEST_F(RunPlacement, IsLeftToTheSystem) {
  client_.placement.pin = false;
  const Ending ending = RunPingPong();
  ASSERT_FALSE(ending.client) << ending.client->what();
  const report::Placement& placement = *ending.report.hosts[0].placement;
  EXPECT_THAT(placement.worker_cpus, IsEmpty());
  EXPECT_FALSE(placement.session_cpu);
  EXPECT_THAT(placement.ran_on_cpus, SizeIs(1));
}

TEST_F(RunPlacement, IsRefusedOnCpusThatAreNotThere) {
  client_.placement.cpus = {kNoCpu};
  const Ending ending = RunPingPong();
  ASSERT_TRUE(ending.client);
  EXPECT_EQ(ending.client->blame(), Blame::kEnvironment);
  EXPECT_THAT(ending.client->what(),
              AllOf(HasSubstr("--cpus names cpu 65000"), HasSubstr("usable: cpu")));
}

TEST_F(RunPlacement, IsRefusedByTheServerToBothSides) {
  plan_.remote.cpus = {some_cpu_};
  server_.local.placement.pin = false;
  const Ending ending = RunPingPong();
  ASSERT_TRUE(ending.client && ending.server);
  for (const Error& error : {*ending.client, *ending.server}) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("--remote-cpus"), HasSubstr("--no-pin")));
  }
}

TEST_F(RunPlacement, HasItsPagesOnTheNodeThatWasAskedFor) {
  const std::vector<std::byte> touched(1, std::byte{1});
  if (!CountPagesOnNode(touched, 0)) {
    GTEST_SKIP() << "this kernel or container does not tell where pages are";
  }
  client_.placement.numa_node = 0;
  plan_.remote.numa_node = 0;
  const Ending ending = RunPingPong();
  ASSERT_FALSE(ending.client) << ending.client->what();
  for (const report::Host& host : ending.report.hosts) {
    EXPECT_EQ(host.placement->memory_node, 0U);
    EXPECT_EQ(host.placement->pages_on_node, 1.0);
  }
}

TEST_F(RunPlacement, TellsAsMuchOfItsReasonAsTheOtherSideReads) {
  Placement placement;
  placement.reasons = {std::string(2 * report::kMostReasonBytes, 'r')};
  EXPECT_EQ(DescribePlacement(placement, {}).reason.size(), report::kMostReasonBytes);
  placement.reasons = {"near"};
  EXPECT_EQ(DescribePlacement(placement, {}).reason, "near");
}

TEST_F(RunPlacement, IsWarnedAboutOnceWhereBothEndsAreOneMachine) {
  plan_.tests.push_back(plan_.tests.front());
  std::vector<std::string> told;
  observer_.warn = [&](std::string_view warning) { told.emplace_back(warning); };
  const Ending ending = RunPingPong();
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_THAT(ending.report.warnings, Contains(HasSubstr("both ends are one machine")).Times(1));
  EXPECT_EQ(told, ending.report.warnings);
}

TEST_F(RunPlacement, IsExplainedBeforeTheRun) {
  std::string explained;
  observer_.explain = [&](std::string_view text) { explained = text; };
  const Ending ending = RunPingPong();
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_THAT(explained, AllOf(HasSubstr("client's placement:\n"), HasSubstr("machine\n"),
                               HasSubstr("server's placement (")));
  EXPECT_THAT(explained, HasSubstr(ending.report.hosts[1].placement->reason));
}

}  // namespace
}  // namespace rdmabench
