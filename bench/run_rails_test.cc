// Both sides of runs over two devices at once: real TCP on the loopback, fake verbs below.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "bench/run_fixture.h"
#include "bench/shape.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/locality.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RunOverRails : public RunFixture {
 protected:
  RunOverRails() {
    fake::Reset(
        {{.name = "rxe0", .gids = {{"fe80::1"}, {"::ffff:10.0.1.1"}}},
         {.name = "rxe1", .active_mtu = IBV_MTU_4096, .gids = {{"fe80::2"}, {"::ffff:10.0.2.1"}}}});
    client_.devices = {"rxe1", "rxe0"};
  }

  // 100 messages on each of three queue pairs of two threads of each device.
  static Plan PlanFor(const std::string& test) {
    Plan plan = PlanOf(test, {}, 100);
    plan.tests[0].queue.queue_pairs = 3;
    plan.tests[0].queue.threads = 2;
    return plan;
  }
  report::Result ResultOf(const Plan& plan) {
    Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    hosts_ = ending.report.hosts;
    return ending.report.results.empty() ? report::Result{} : ending.report.results[0];
  }

  std::vector<report::Host> hosts_;
};

TEST_F(RunOverRails, GivesEachDeviceTheQueuePairsAndThreadsThatWereAskedFor) {
  const report::Result result = ResultOf(PlanFor("write_bw"));
  EXPECT_EQ(result.queue_pairs, 6U);
  EXPECT_EQ(result.threads, 4U);
  EXPECT_EQ(result.messages, 600U);
  EXPECT_THAT(result.traffic[0].sent.messages_per_queue_pair,
              ElementsAre(100, 100, 100, 100, 100, 100));
  ASSERT_EQ(result.rails.size(), 2U);
  for (const report::Rail& rail : result.rails) {
    EXPECT_EQ(rail.messages, 300U);
    EXPECT_EQ(rail.sent_messages, 300U);
    EXPECT_EQ(rail.bytes, 300U * result.message_bytes);
  }
}

TEST_F(RunOverRails, JoinsDevicesOfOneSubnetWithTheMtuOfEach) {
  const report::Result result = ResultOf(PlanFor("write_bw"));
  ASSERT_EQ(result.rails.size(), 2U);
  EXPECT_EQ(result.rails[0].client_device, "rxe1");
  EXPECT_EQ(result.rails[0].server_device, "rxe1");
  EXPECT_EQ(result.rails[0].mtu_bytes, 4096U);
  EXPECT_EQ(result.rails[0].server_gid->text, "::ffff:10.0.2.1");
  EXPECT_EQ(result.rails[1].server_device, "rxe0");
  EXPECT_EQ(result.rails[1].mtu_bytes, 1024U);
  EXPECT_EQ(result.effective.mtu_bytes, 1024U);
  ASSERT_EQ(hosts_[1].rails.size(), 2U);
  EXPECT_EQ(hosts_[1].rails[0].paired_by, "subnet");
  EXPECT_EQ(hosts_[1].rails[0].device.name, "rxe1");
  EXPECT_EQ(hosts_[1].device->name, "rxe1");
  EXPECT_EQ(hosts_[0].rails[1].device.name, "rxe0");
  EXPECT_EQ(hosts_[0].rails[1].placement.worker_cpus.size(), 2U);
}

TEST_F(RunOverRails, AddsUpToTheTotal) {
  Plan plan = PlanFor("send_bw");
  plan.tests[0].run.iterations.reset();
  plan.tests[0].run.duration_ms = 100;
  const report::Result result = ResultOf(plan);
  ASSERT_TRUE(result.bandwidth);
  ASSERT_EQ(result.rails.size(), 2U);
  double rate = 0;
  std::uint64_t messages = 0;
  for (const report::Rail& rail : result.rails) {
    messages += rail.messages;
    rate += rail.bytes_per_second.value_or(0.0);
  }
  EXPECT_EQ(messages, result.messages);
  EXPECT_NEAR(rate, result.bandwidth->bytes_per_second, rate * 1e-9);
  for (const report::Check& check : result.checks) {
    EXPECT_TRUE(check.ok || check.name == "in_flight_is_the_depth") << check.name << check.text;
  }
}

TEST_F(RunOverRails, KeepsTheSessionOffTheCpusOfEveryDevicesWorkers) {
  std::vector<unsigned> cpus = Locality().CpusNear(std::nullopt);
  cpus.resize(std::min<std::size_t>(cpus.size(), 2));
  client_.placement.cpus = cpus;
  Plan plan = PlanFor("write_bw");
  plan.tests[0].queue.threads = 1;
  ResultOf(plan);
  ASSERT_EQ(hosts_[0].rails.size(), 2U);
  for (const report::HostRail& rail : hosts_[0].rails) {
    const std::optional<unsigned> session = rail.placement.session_cpu;
    EXPECT_FALSE(session && std::count(cpus.begin(), cpus.end(), *session) > 0) << *session;
  }
}

TEST_F(RunOverRails, HasNoRailsWithOneDevice) {
  client_.devices = {"rxe1"};
  const report::Result result = ResultOf(PlanFor("write_bw"));
  EXPECT_TRUE(result.rails.empty());
  EXPECT_EQ(result.queue_pairs, 3U);
  EXPECT_TRUE(hosts_[0].rails.empty() && hosts_[1].rails.empty());
  EXPECT_EQ(hosts_[1].device->name, "rxe1") << "in the client's subnet";
}

class EachTest : public RunOverRails, public testing::WithParamInterface<const char*> {};

// Bandwidth and latency alike: the workers are of several devices, and nothing else differs.
TEST_P(EachTest, RunsOverTwoDevices) {
  const report::Result result = ResultOf(PlanFor(GetParam()));
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.messages, 600U);
  ASSERT_EQ(result.rails.size(), 2U);
  for (const report::Rail& rail : result.rails) EXPECT_EQ(rail.messages, 300U);
}

INSTANTIATE_TEST_SUITE_P(All, EachTest,
                         testing::Values("write_bw", "write_imm_bw", "read_bw", "send_bw",
                                         "fetch_add_bw", "write_lat", "send_lat", "read_lat"),
                         [](const auto& row) { return std::string(row.param); });

TEST_F(RunOverRails, MeasuresBothDirections) {
  Plan plan = PlanFor("send_bw");
  plan.tests[0].queue.bidirectional = true;
  const report::Result result = ResultOf(plan);
  ASSERT_EQ(result.rails.size(), 2U);
  for (const report::Rail& rail : result.rails) EXPECT_EQ(rail.sent_messages, 600U);
}

TEST_F(RunOverRails, VerifiesEachMessage) {
  for (const char* test : {"write_bw", "send_bw", "send_lat"}) {
    Plan plan = PlanFor(test);
    plan.tests[0].run.verify = true;
    const report::Result result = ResultOf(plan);
    ASSERT_TRUE(result.verification) << test;
    EXPECT_EQ(result.verification->bad_messages, 0U) << test;
    EXPECT_GE(result.verification->checked_messages, 600U) << test;
  }
}

// Each loses one message in a hundred; the second device's are told apart.
TEST_F(RunOverRails, CountsWhatArrivedOverEach) {
  Plan plan = PlanFor("send_bw");
  plan.tests[0].queue.qp_type = "ud";
  plan.tests[0].queue.queue_pairs = plan.tests[0].queue.threads = 1;
  plan.tests[0].run.warmup_ms = 0;
  fake::Inject({.lose_at_message = 50});
  const report::Result result = ResultOf(plan);
  ASSERT_EQ(result.rails.size(), 2U);
  EXPECT_EQ(result.messages, 199U);
  EXPECT_EQ(result.rails[0].messages + result.rails[1].messages, 199U);
  EXPECT_EQ(result.rails[0].sent_messages, 100U);
  EXPECT_EQ(result.rails[1].sent_messages, 100U);
}

TEST_F(RunOverRails, DoesWhatTheClientAsksOfTheServersDevices) {
  Plan plan = PlanFor("write_bw");
  plan.remote.devices = {"rxe0", "rxe1"};
  const report::Result result = ResultOf(plan);
  ASSERT_EQ(result.rails.size(), 2U);
  EXPECT_EQ(result.rails[0].client_device, "rxe1");
  EXPECT_EQ(result.rails[0].server_device, "rxe0");
  EXPECT_EQ(hosts_[1].rails[0].paired_by, "client");
}

TEST_F(RunOverRails, RefusesAnotherNumberOfDevicesOnBothSides) {
  server_.local.devices = {"rxe0"};
  const Ending ending = Run(PlanFor("write_bw"));
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_THAT(ending.client->what(), AllOf(HasSubstr("rxe1,rxe0"), HasSubstr("(rxe0)")));
  EXPECT_THAT(ending.server->what(), HasSubstr("1 device (rxe0)"));
  EXPECT_EQ(ending.client->blame(), Blame::kRun);
}

TEST_F(RunOverRails, RefusesRdmaCmWithAllDevicesBeforeAnyIsConnected) {
  client_.devices = {"all"};
  Plan plan = PlanFor("write_bw");
  plan.tests[0].queue.rdma_cm = true;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), AllOf(HasSubstr("--rdma-cm"), HasSubstr("--ib-dev")));
  EXPECT_EQ(ending.client->blame(), Blame::kUsage);
}

TEST_F(RunOverRails, SaysBetweenWhichDevicesSomethingCannotBeAgreed) {
  Plan plan = PlanFor("write_bw");
  plan.tests[0].link.mtu_bytes = 2048;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("between rxe0 and rxe0: --mtu 2048 is above"));
}

// Three over two threads are two and one on each device, not four and two on the first.
TEST(OverRails, DealsQueuePairsToEachDeviceAsIfItWereAlone) {
  TestPlan test;
  test.queue.queue_pairs = 7;
  test.queue.threads = 3;
  const QueueOptions all = OverRails(test, 4).queue;
  ASSERT_EQ(all.queue_pairs, 28U);
  ASSERT_EQ(all.threads, 12U);
  for (std::uint32_t worker = 0; worker < all.threads; ++worker) {
    EXPECT_EQ(QueuePairsOf(all, worker), QueuePairsOf(test.queue, worker / 4)) << worker;
  }
}

}  // namespace
}  // namespace rdmabench
