// What both sides say of failures of devices and of the fabric, over fake verbs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "bench/run_fixture.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/fake_verbs_events.h"

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

class RunFailureTest : public RunFixture {
 protected:
  // A run of one size that meets the faults in its window.
  Ending RunWith(const fake::Faults& faults, const std::string& test = "write_bw") {
    Plan plan = PlanOf(test, {64}, 100'000);
    plan.tests[0].run.warmup_ms = 0;
    plan.tests[0].run.stall_timeout_ms = 2'000;
    fake::Inject(faults);
    return Run(plan);
  }

  static std::string Entry(const std::optional<Error>& error) {
    return error ? error->entry() : std::string("none");
  }
  static std::string PeerEntry(const std::optional<Error>& error) {
    return error && error->peer() != nullptr ? error->peer()->entry() : std::string("none");
  }
};

TEST_F(RunFailureTest, ARevokedKeyIsToldByBothSidesInTheirOwnWords) {
  fake::Faults faults;
  faults.revoke_at_message = 500;
  const Ending ending = RunWith(faults);
  EXPECT_EQ(Entry(ending.client), "IBV_WC_REM_ACCESS_ERR");
  EXPECT_EQ(PeerEntry(ending.client), "IBV_EVENT_QP_ACCESS_ERR");
  EXPECT_EQ(Entry(ending.server), "IBV_EVENT_QP_ACCESS_ERR");
  EXPECT_EQ(PeerEntry(ending.server), "IBV_WC_REM_ACCESS_ERR");
  EXPECT_THAT(ending.server->what(), HasSubstr("named memory that it may not reach"));
  EXPECT_THAT(ending.server->peer()->what(), Not(HasSubstr("peer: ")));
  EXPECT_EQ(ending.client->host(), "client");
  EXPECT_EQ(ending.client->peer()->host(), "server");
}

TEST_F(RunFailureTest, AnEmptyReceiveQueueIsToldWithItsDepthAndTheWayThere) {
  fake::Faults faults;
  faults.unready_at_message = 500;
  const Ending ending = RunWith(faults, "send_bw");
  ASSERT_EQ(Entry(ending.client), "IBV_WC_RNR_RETRY_EXC_ERR");
  EXPECT_THAT(ending.client->what(),
              AllOf(HasSubstr("receive depth "), HasSubstr("--rnr-retry 6"), HasSubstr("MTU 1024"),
                    HasSubstr("GID 1 ::ffff:127.0.0.1 (roce_v2)")));
  ASSERT_TRUE(ending.server);
  EXPECT_THAT(ending.server->what(), HasSubstr("peer: "));
  EXPECT_EQ(Entry(ending.server), "IBV_WC_RNR_RETRY_EXC_ERR");
}

TEST_F(RunFailureTest, AnEmptyReceiveQueueLosesWhatIsNotAcknowledged) {
  fake::Faults faults;
  faults.unready_at_message = 100;
  faults.unready_messages = 7;
  fake::Inject(faults);
  Plan plan = PlanOf("send_bw", {64}, 1000);
  plan.tests[0].queue.qp_type = "uc";
  plan.tests[0].run.warmup_ms = 0;
  const Ending ending = Run(plan);
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_EQ(ending.report.results[0].traffic[0].delivery->lost, 7U);
}

struct Event {
  const char* name;
  ibv_event_type type;
  bool at_server;
};
class DeviceEvents : public RunFailureTest, public testing::WithParamInterface<Event> {};

// The flushed requests of the side whose device raised it are no reason.
TEST_P(DeviceEvents, EndTheRunWithTheirTextOnBothSides) {
  const Event& event = GetParam();
  fake::Faults faults;
  faults.event_at_message = 500;
  faults.event = event.type;
  faults.event_at_target = event.at_server;
  const Ending ending = RunWith(faults);
  ASSERT_TRUE(ending.client && ending.server);
  const std::optional<Error>& struck = event.at_server ? ending.server : ending.client;
  const std::optional<Error>& other = event.at_server ? ending.client : ending.server;
  EXPECT_EQ(Entry(struck), event.name);
  EXPECT_THAT((std::vector<std::string>{Entry(other), PeerEntry(other)}), Contains(event.name));
  for (const Error* error : {&*ending.client, &*ending.server}) {
    EXPECT_NE(error->entry(), "IBV_WC_WR_FLUSH_ERR");
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, DeviceEvents,
                         testing::Values(Event{"IBV_EVENT_QP_FATAL", IBV_EVENT_QP_FATAL, false},
                                         Event{"IBV_EVENT_QP_FATAL", IBV_EVENT_QP_FATAL, true},
                                         Event{"IBV_EVENT_CQ_ERR", IBV_EVENT_CQ_ERR, false},
                                         Event{"IBV_EVENT_CQ_ERR", IBV_EVENT_CQ_ERR, true}),
                         [](const auto& row) {
                           return std::string(row.param.name) +
                                  (row.param.at_server ? "_server" : "_client");
                         });

TEST_F(RunFailureTest, ADeviceThatFailsEndsTheRunAtOnce) {
  fake::Reset({{.name = "fake0"}, {.name = "fake1", .gids = {{"fe80::2"}, {"::ffff:127.0.0.2"}}}});
  client_.devices = {"fake0"};
  server_.local.devices = {"fake1"};
  fake::Faults faults;
  faults.event_at_message = 500;
  faults.event = IBV_EVENT_DEVICE_FATAL;
  const Ending ending = RunWith(faults);
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_EQ(Entry(ending.client), "IBV_EVENT_DEVICE_FATAL");
  EXPECT_THAT(ending.client->what(), HasSubstr("fake0 raised IBV_EVENT_DEVICE_FATAL"));
  EXPECT_EQ(Entry(ending.server), "IBV_EVENT_DEVICE_FATAL");
}

TEST_F(RunFailureTest, APortThatGoesDownIsAWarningAndTheFirstCauseOfWhatFollows) {
  fake::Reset({{.name = "fake0"}, {.name = "fake1", .gids = {{"fe80::2"}, {"::ffff:127.0.0.2"}}}});
  client_.devices = {"fake0"};
  server_.local.devices = {"fake1"};
  fake::Faults faults;
  faults.event_at_message = 500;
  faults.event = IBV_EVENT_PORT_ERR;
  const Ending ending = RunWith(faults);
  ASSERT_TRUE(ending.client && ending.server);
  EXPECT_EQ(Entry(ending.client), "IBV_WC_RETRY_EXC_ERR");
  EXPECT_THAT(ending.client->remedy(), testing::StartsWith("port 1 of fake0 is down"));
  EXPECT_THAT(ending.report.warnings,
              Contains(AllOf(HasSubstr("client: fake0 raised IBV_EVENT_PORT_ERR of port 1"),
                             HasSubstr("the port went down"))));
  EXPECT_THAT(ending.server->remedy(), HasSubstr("port 1 of fake0 is down"));
}

TEST_F(RunFailureTest, AnEventThatMayPassIsAWarningOfASoundRun) {
  fake::Faults faults;
  faults.event_at_message = 50;
  faults.event = IBV_EVENT_GID_CHANGE;
  fake::Inject(faults);
  const Ending ending = Run(PlanOf("write_bw", {64}, 1000));
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_THAT(ending.report.warnings,
              Contains(HasSubstr("client: fake0 raised IBV_EVENT_GID_CHANGE")));
  EXPECT_THAT(ending.report.warnings,
              Contains(HasSubstr("server: fake0 raised IBV_EVENT_GID_CHANGE")));
}

}  // namespace
}  // namespace rdmabench
