#include "transport/server_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "transport/error.h"
#include "transport/frame.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::json;

ServerStatus Sample() {
  ServerStatus status;
  status.tool_version = "0.1.0";
  status.pid = 100;
  status.uptime_seconds = 3600.5;
  status.sessions = {{.session = 7,
                      .pid = 120,
                      .peer = "10.0.0.1:5",
                      .request = "run",
                      .duration_seconds = 1.5,
                      .plan = "write_bw rc ×2",
                      .tests = 2,
                      .tests_started = 1,
                      .sizes_measured = 3,
                      .latest = "write_bw rc 64 B: 5 messages, 1.000 Gb/s"},
                     {.session = 8,
                      .pid = 121,
                      .peer = "10.0.0.2:5",
                      .request = "doctor",
                      .plan = "",
                      .latest = ""}};
  status.queue = {{.place = 1, .peer = "10.0.0.3:5", .request = "run", .waiting_seconds = 0.25}};
  status.totals = {.sessions_done = 1,
                   .sessions_failed = 2,
                   .clients_dismissed = 3,
                   .wrong_secrets = 4,
                   .connections_turned_away = 5};
  status.limits = {.sessions = 2,
                   .queued = 64,
                   .connections_per_address = 32,
                   .queue_pairs = 16384,
                   .memory_bytes = 4'294'967'296,
                   .test_seconds = 86400};
  return status;
}

TEST(ServerStatus, ComesBackAsItWasSent) {
  const Json sent = ServerStatusToJson(Sample());
  EXPECT_EQ(Json(ServerStatusToJson(ServerStatusFromJson(sent))), sent);
}

TEST(ServerStatus, LeavesOutWhatIsNotKnownOfASession) {
  const Json json = ServerStatusToJson(Sample());
  EXPECT_TRUE(json["sessions"][0].contains("plan"));
  EXPECT_FALSE(json["sessions"][1].contains("plan"));
  EXPECT_FALSE(json["sessions"][1].contains("latest"));
}

TEST(ServerStatus, OfAsManySessionsAsThereMayBeFitsInAFrame) {
  ServerStatus status = Sample();
  ServerStatus::Session session = status.sessions[0];
  session.plan = std::string(10'000, 'x');
  session.latest = std::string(10'000, '"');
  status.sessions.assign(1024, session);
  const Json json = ServerStatusToJson(status);
  EXPECT_LT(EncodeFrame("status", json).size(), kMaxFrameBeforeAcceptance);
  EXPECT_EQ(ServerStatusFromJson(json).sessions.size(), 1024u);
}

TEST(ServerStatus, IsRefusedWhereItIsIllFormed) {
  const auto refuses = [](const std::function<void(Json&)>& change, const std::string& why) {
    Json json = ServerStatusToJson(Sample());
    change(json);
    EXPECT_THAT([&] { ServerStatusFromJson(json); }, ThrowsMessage<Error>(HasSubstr(why)));
  };
  refuses([](Json& json) { json.erase("totals"); }, "totals");
  refuses([](Json& json) { json["sessions"][0]["tests"] = -1; }, "sessions[0].tests");
  refuses([](Json& json) { json["sessions"][0]["peer"] = "a\nb"; }, "sessions[0].peer");
  refuses([](Json& json) { json["queue"][0].erase("place"); }, "queue[0].place");
  refuses([](Json& json) { json["queue"][0]["plan"] = "x"; }, "queue[0]");
  refuses([](Json& json) { json["limits"]["test_seconds"] = "1"; }, "test_seconds");
  refuses([](Json& json) { json["secret"] = "x"; }, "unknown key 'secret'");
}

}  // namespace
}  // namespace rdmabench
