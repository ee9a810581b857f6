#include "transport/server_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "transport/error.h"
#include "transport/frame.h"
#include "transport/sample_status.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::json;

TEST(ServerStatus, ComesBackAsItWasSent) {
  const Json sent = ServerStatusToJson(SampleStatus());
  EXPECT_EQ(Json(ServerStatusToJson(ServerStatusFromJson(sent))), sent);
}

TEST(ServerStatus, LeavesOutWhatIsNotKnownOfASession) {
  const Json json = ServerStatusToJson(SampleStatus());
  EXPECT_TRUE(json["sessions"][0].contains("plan"));
  EXPECT_FALSE(json["sessions"][1].contains("plan"));
  EXPECT_FALSE(json["sessions"][1].contains("latest"));
}

TEST(ServerStatus, OfAsManySessionsAsThereMayBeFitsInAFrame) {
  ServerStatus status = SampleStatus();
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
    Json json = ServerStatusToJson(SampleStatus());
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
