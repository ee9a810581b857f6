#include "transport/event_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Event Read(std::string_view text) { return SessionEventFromJson(ParseJson(text, "a test")); }

Event Failure() {
  Error error(Blame::kEnvironment, "cannot open rxe0", "as root: rdma link add");
  error.At("server", "opening the device").Of("ibv_open_device EACCES");
  return {.kind = EventKind::kSessionEnded,
          .peer = "10.0.0.1:5",
          .text = "failed: cannot open rxe0",
          .fields = {{"plan", "write_bw rc"}, {"tests", std::uint64_t{2}}, {"seconds", 1.5}},
          .error = error};
}

TEST(EventJson, HasNameAndPeerFirstThenTheFields) {
  EXPECT_EQ(EventToJson(Failure()).dump(),
            R"({"event":"session_ended","peer":"10.0.0.1:5","plan":"write_bw rc","tests":2,)"
            R"("seconds":1.5,"error":{"host":"server","step":"opening the device",)"
            R"("code":"ibv_open_device EACCES","message":"cannot open rxe0",)"
            R"("remedy":"as root: rdma link add"},)"
            R"("text":"failed: cannot open rxe0"})");
}

TEST(EventJson, LeavesOutWhatIsEmpty) {
  const Event event{.kind = EventKind::kListening, .peer = "", .text = "listens"};
  EXPECT_EQ(EventToJson(event).dump(), R"({"event":"listening","text":"listens"})");
}

TEST(EventJson, IsWrittenWhateverBytesAPeerHasSent) {
  const Event event{.kind = EventKind::kDismissed,
                    .peer = "10.0.0.1:5",
                    .text = "dismissed: '\xff\n\x1b'",
                    .fields = {{"request", "\xc0"}},
                    .error = Error(Blame::kRun, "\xff")};
  EXPECT_EQ(EventToJson(event).dump(),
            R"({"event":"dismissed","peer":"10.0.0.1:5","request":"?","error":{"message":"?"},)"
            R"("text":"dismissed: '? ?'"})");
}

TEST(EventJson, ComesBackWithoutThePeer) {
  const Event event = Read(EventToJson(Failure()).dump());
  EXPECT_EQ(event.kind, EventKind::kSessionEnded);
  EXPECT_EQ(event.peer, "");
  EXPECT_EQ(event.text, "failed: cannot open rxe0");
  ASSERT_TRUE(event.error);
  EXPECT_EQ(std::string(event.error->what()), "cannot open rxe0");
  EXPECT_EQ(event.error->remedy(), "as root: rdma link add");
  EXPECT_EQ(event.error->step(), "opening the device");
  EXPECT_EQ(event.error->entry(), "ibv_open_device EACCES");
  nlohmann::ordered_json back = EventToJson(event);
  nlohmann::ordered_json sent = EventToJson(Failure());
  sent.erase("peer");
  EXPECT_EQ(nlohmann::json(back), nlohmann::json(sent));
}

TEST(EventJson, OfASessionSpeaksForNobodyElse) {
  const Event event =
      Read(R"({"event":"test_started","text":"x","session":7,"pid":1,"time":"never","peer":"a"})");
  EXPECT_TRUE(event.fields.empty());
  EXPECT_EQ(event.peer, "");
  EXPECT_THAT([] { Read(R"({"event":"listening","text":"listens"})"); },
              ThrowsMessage<Error>(HasSubstr("'listening' is none of a session's")));
}

TEST(EventJson, OfASessionIsRefusedWhereItIsNone) {
  for (const std::string_view text :
       {R"([])", R"({})", R"({"event":5})", R"({"event":"test_started","text":[]})",
        R"({"event":"test_started","runs":-1})", R"({"event":"test_started","runs":null})",
        R"({"event":"test_started","a b":1})", R"({"event":"test_started","error":"x"})",
        R"({"event":"test_started","error":{"host":1}})",
        R"({"event":"test_started","error":{"code":[]}})"}) {
    EXPECT_THAT([&] { Read(text); }, ThrowsMessage<Error>(HasSubstr("no event"))) << text;
  }
}

TEST(EventJson, OfASessionHasABoundedNumberOfFields) {
  nlohmann::json json = {{"event", "test_started"}};
  for (int i = 0; i < 1000; ++i) json["key" + std::to_string(i)] = 1u;
  EXPECT_THAT([&] { SessionEventFromJson(json); },
              ThrowsMessage<Error>(HasSubstr("too many fields")));
}

}  // namespace
}  // namespace rdmabench
