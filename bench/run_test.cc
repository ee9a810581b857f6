// Both sides of a run in one process: real TCP on the loopback, fake verbs below.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <numeric>
#include <utility>
#include <vector>

#include "bench/clock.h"
#include "bench/run_fixture.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class RunTest : public RunFixture {
 protected:
  static Plan WriteBw(std::vector<std::uint64_t> sizes, std::optional<std::uint64_t> iterations) {
    return PlanOf("write_bw", std::move(sizes), iterations);
  }
};

TEST_F(RunTest, ReportsWhatWasMeasured) {
  const Ending ending = Run(WriteBw({4096}, 1000));
  ASSERT_FALSE(ending.client) << ending.client->what();
  ASSERT_FALSE(ending.server) << ending.server->what();
  ASSERT_EQ(ending.report.results.size(), 1U);
  const report::Result& result = ending.report.results[0];
  EXPECT_TRUE(result.complete);
  EXPECT_EQ(result.messages, 1000U);
  EXPECT_EQ(result.bytes, 4096'000U);
  EXPECT_GT(result.window_seconds, 0.0);
  ASSERT_TRUE(result.bandwidth);
  EXPECT_DOUBLE_EQ(result.bandwidth->bytes_per_second, 4096'000.0 / result.window_seconds);
  EXPECT_GE(result.effective.warmup_messages, 128U);
  EXPECT_EQ(result.effective.mtu_bytes, 1024U);
  EXPECT_EQ(result.effective.iterations_per_queue_pair, 1000U);
}

TEST_F(RunTest, DescribesBothHosts) {
  const Ending ending = Run(WriteBw({64}, 100));
  ASSERT_EQ(ending.report.hosts.size(), 2U);
  for (const report::Host& host : ending.report.hosts) {
    ASSERT_TRUE(host.device);
    EXPECT_EQ(host.device->name, "fake0");
    ASSERT_TRUE(host.device->gid);
    EXPECT_EQ(host.device->gid->text, "::ffff:127.0.0.1");
    EXPECT_TRUE(host.placement && host.clock && host.kernel);
  }
  EXPECT_EQ(ending.report.hosts[0].role, "client");
  EXPECT_EQ(ending.report.hosts[1].role, "server");
}

TEST_F(RunTest, TellsHowSteadilyTheCountersOfBothHostsRan) {
  Plan plan = WriteBw({64}, {});
  plan.tests[0].run.warmup_ms = 100;  // the calibration before the window
  plan.tests[0].run.duration_ms = 1100;
  const Ending ending = Run(plan);
  ASSERT_FALSE(ending.client) << ending.client->what();
  for (const report::Host& host : ending.report.hosts) {
    EXPECT_EQ(host.clock->drift_ppm.has_value(), CounterIsInvariant());
  }
}

TEST_F(RunTest, PlacesAsManyWorkersAsTheLargestTestHas) {
  Plan plan = WriteBw({64}, 100);
  plan.tests.push_back(plan.tests[0]);
  plan.tests[1].queue.queue_pairs = plan.tests[1].queue.threads = 2;
  const Ending ending = Run(plan);
  ASSERT_FALSE(ending.client) << ending.client->what();
  for (const report::Host& host : ending.report.hosts) {
    EXPECT_THAT(host.placement->worker_cpus, testing::SizeIs(2));
  }
}

TEST_F(RunTest, RunsEverySizeOverOneSetOfQueuePairs) {
  const Ending ending = Run(WriteBw({64, 65536, 2}, 256));
  ASSERT_FALSE(ending.client) << ending.client->what();
  std::vector<std::uint64_t> sizes;
  for (const report::Result& result : ending.report.results) sizes.push_back(result.message_bytes);
  EXPECT_THAT(sizes, ElementsAre(64, 65536, 2));
  EXPECT_TRUE(ending.report.results[0].effective.inline_used);
  EXPECT_FALSE(ending.report.results[1].effective.inline_used);
}

TEST_F(RunTest, CountsEveryQueuePairExactly) {
  Plan plan = WriteBw({64}, 100);
  plan.tests[0].queue.queue_pairs = 64;
  const Ending ending = Run(plan);
  ASSERT_FALSE(ending.client) << ending.client->what();
  const std::vector<std::uint64_t>& counts =
      ending.report.results[0].traffic[0].sent.messages_per_queue_pair;
  EXPECT_THAT(counts, testing::SizeIs(64));
  EXPECT_THAT(counts, testing::Each(100));
  EXPECT_FALSE(fake::AnyOverrun());
}

TEST_F(RunTest, EndsByTheClockWithEveryMessageOfTheWindowCounted) {
  Plan plan = WriteBw({64}, std::nullopt);
  plan.tests[0].run.duration_ms = 150;
  const Ending ending = Run(plan);
  ASSERT_FALSE(ending.client) << ending.client->what();
  const report::Result& result = ending.report.results[0];
  EXPECT_GE(result.window_seconds, 0.149);
  EXPECT_GT(result.messages, 0U);
  const std::vector<std::uint64_t>& counts = result.traffic[0].sent.messages_per_queue_pair;
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}), result.messages);
}

TEST_F(RunTest, BothSidesSayWhyARequestFailed) {
  fake::Faults faults;
  faults.error_at_message = 500;
  faults.error_status = IBV_WC_RETRY_EXC_ERR;
  fake::Inject(faults);
  Plan plan = WriteBw({64}, 1000);
  plan.tests[0].run.warmup_ms = 0;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_THAT(ending.client->what(), HasSubstr("completion status 12"));
  EXPECT_EQ(ending.client->step(), "running");
  EXPECT_EQ(ending.client->host(), "client");
  EXPECT_THAT(ending.server->what(), AllOf(HasSubstr("peer: "), HasSubstr("status 12")));
  ASSERT_EQ(ending.report.results.size(), 1U);
  EXPECT_FALSE(ending.report.results[0].complete);
  EXPECT_LT(ending.report.results[0].messages, 500U);
  EXPECT_FALSE(fake::AnyOverrun());
}

TEST_F(RunTest, FlushedRequestsOfManyQueuePairsOverrunNoCompletionQueue) {
  // 256 x 128 requests are one more than the device's largest completion queue holds.
  fake::Faults faults;
  faults.error_at_message = 30'000;
  fake::Inject(faults);
  Plan plan = WriteBw({64}, 10'000);
  plan.tests[0].queue.queue_pairs = 256;
  plan.tests[0].run.warmup_ms = 0;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_FALSE(fake::AnyOverrun());
  ASSERT_EQ(ending.report.results.size(), 1U);
  EXPECT_EQ(ending.report.results[0].effective.completion_queues, 2U);
}

TEST_F(RunTest, ConnectsAThousandQueuePairsWithOneFrameEachWay) {
  Plan plan = WriteBw({64}, 4);
  plan.tests[0].queue.queue_pairs = 1024;
  plan.tests[0].queue.send_depth = 4;
  const Ending ending = Run(plan);
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_EQ(ending.report.results[0].messages, 4096U);
}

TEST_F(RunTest, KeepsTheSizesThatWereMeasuredBeforeAFailure) {
  fake::Faults faults;
  faults.error_at_message = 300;
  fake::Inject(faults);
  Plan plan = WriteBw({64, 128, 256}, 200);
  plan.tests[0].run.warmup_ms = 0;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  ASSERT_GE(ending.report.results.size(), 1U);
  EXPECT_TRUE(ending.report.results[0].complete);
  EXPECT_EQ(ending.report.results[0].messages, 200U);
}

TEST_F(RunTest, EndsAStalledRunThoughThePeerIsAlive) {
  fake::Faults faults;
  faults.stall_at_message = 500;
  fake::Inject(faults);
  Plan plan = WriteBw({64}, 1'000'000);
  plan.tests[0].run.warmup_ms = 0;
  plan.tests[0].run.stall_timeout_ms = 200;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_THAT(ending.client->what(), HasSubstr("stalled"));
  EXPECT_THAT(ending.server->what(), HasSubstr("peer: stalled"));
}

TEST_F(RunTest, AnInterruptEndsTheRunWithWhatWasMeasured) {
  Plan plan = WriteBw({64}, std::nullopt);
  plan.tests[0].run.duration_ms = 60'000;
  bool sent = false;
  observer_.progress = [&sent](const Progress&) {
    if (!sent) kill(getpid(), SIGINT);
    sent = true;
  };
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_EQ(ending.client->blame(), Blame::kInterrupted);
  ASSERT_EQ(ending.report.results.size(), 1U);
  EXPECT_FALSE(ending.report.results[0].complete);
  EXPECT_GT(ending.report.results[0].messages, 0U);
}

TEST_F(RunTest, TheClientIsToldWhichLimitOfTheServerItExceeds) {
  server_.limits.queue_pairs = 2;
  Plan plan = WriteBw({64}, 100);
  plan.tests[0].queue.queue_pairs = 3;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_THAT(ending.client->what(), AllOf(HasSubstr("allows 2"), HasSubstr("asked were 3")));
  EXPECT_EQ(ending.client->host(), "server");
  EXPECT_EQ(ending.client->blame(), Blame::kRun);
}

struct SetupFault {
  const char* call;
  std::uint64_t after;  // calls that succeed; the client's come first where the order is known
};
class SetupFaults : public RunTest, public testing::WithParamInterface<SetupFault> {};

TEST_P(SetupFaults, EndBothSidesWithTheSystemsWords) {
  fake::Faults faults;
  faults.failing_call = GetParam().call;
  faults.failing_after = GetParam().after;
  faults.failing_errno = EIO;
  fake::Inject(faults);
  const Ending ending = Run(WriteBw({64}, 100));
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("Input/output error"));
  ASSERT_TRUE(ending.server);
  EXPECT_FALSE(ending.client->host().empty());
  EXPECT_FALSE(ending.client->step().empty());
}

INSTANTIATE_TEST_SUITE_P(
    Calls, SetupFaults,
    testing::Values(SetupFault{"ibv_alloc_pd", 0}, SetupFault{"ibv_alloc_pd", 1},
                    SetupFault{"ibv_reg_mr", 0}, SetupFault{"ibv_reg_mr", 1},
                    SetupFault{"ibv_create_cq", 0}, SetupFault{"ibv_modify_qp:init", 1},
                    SetupFault{"ibv_modify_qp:rtr", 0}, SetupFault{"ibv_modify_qp:rts", 1}));

TEST_F(RunTest, AGidIndexThatIsNotInUseIsRefusedWithThoseThatAre) {
  client_.gid_index = 99;
  const Ending ending = Run(WriteBw({64}, 100));
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("--gid-index 99"));
  EXPECT_THAT(ending.client->remedy(), HasSubstr("::ffff:127.0.0.1"));
  EXPECT_EQ(ending.client->blame(), Blame::kEnvironment);
}

TEST_F(RunTest, AnMtuAboveTheActiveOneIsRefusedBeforeAnythingIsConnected) {
  Plan plan = WriteBw({64}, 100);
  plan.tests[0].link.mtu_bytes = 4096;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), AllOf(HasSubstr("4096"), HasSubstr("1024")));
  EXPECT_EQ(ending.client->step(), "agreeing on the plan");
}

TEST_F(RunTest, AnOptionThatTheAgreementRefusesIsTheClients) {
  Plan plan = PlanOf("send_bw", {2048}, 100);
  plan.tests[0].queue.qp_type = "ud";
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_THAT(ending.client->what(),
              AllOf(StartsWith("--size 2048 does not go with --connection ud"), HasSubstr("1024")));
  for (const Error* error : {&*ending.client, &*ending.server}) {
    EXPECT_EQ(error->host(), "client");
    EXPECT_EQ(error->blame(), Blame::kUsage);
  }
}

TEST_F(RunTest, WorksOverInfiniBandWithLidsAlone) {
  fake::Reset({{.name = "ib0",
                .link_layer = IBV_LINK_LAYER_INFINIBAND,
                .active_mtu = IBV_MTU_4096,
                .lid = 17,
                .gids = {{"fe80::1", IBV_GID_TYPE_IB}}}});
  const Ending ending = Run(WriteBw({4096}, 100));
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_EQ(ending.report.hosts[0].device->lid, 17U);
  EXPECT_FALSE(ending.report.results[0].effective.client_gid);
}

TEST_F(RunTest, APortThatIsDownIsSaidByTheSideThatHasIt) {
  fake::Reset({{.name = "fake0", .state = IBV_PORT_DOWN}});
  client_.devices = {"fake0"};
  const Ending ending = Run(WriteBw({64}, 100));
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("down"));
  EXPECT_EQ(ending.client->blame(), Blame::kEnvironment);
}

// While the others are measured.
TEST_F(RunTest, ATestThatIsRefusedIsToldOfAtOnce) {
  Plan plan = WriteBw({64}, 100);
  plan.tests.push_back(plan.tests.front());
  plan.tests.back().queue.queue_pairs = 2;
  server_.limits.queue_pairs = 1;
  std::vector<report::TestFailure> told;
  observer_.failed = [&told](const report::TestFailure& failure) { told.push_back(failure); };
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("1 of 2 tests failed"));
  EXPECT_FALSE(ending.client->remedy().empty());
  EXPECT_EQ(ending.report.results.size(), 1U);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].plan_index, 1U);
  EXPECT_THAT(told[0].error.message, HasSubstr("allows 1 queue pairs"));
}

TEST_F(RunTest, NoDeviceAtAllIsSaid) {
  fake::Reset({});
  const Ending ending = Run(WriteBw({64}, 100));
  ASSERT_TRUE(ending.client);
  EXPECT_EQ(ending.client->blame(), Blame::kEnvironment);
}

}  // namespace
}  // namespace rdmabench
