// The lobby as a service: what its sessions tell, what it answers about itself, and that nothing is
// left of whom it has served.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "transport/deadline.h"
#include "transport/event.h"
#include "transport/event_json.h"
#include "transport/frame.h"
#include "transport/lobby_fixture.h"
#include "transport/loopback.h"
#include "transport/server_status.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;

class LobbyServiceTest : public LobbyFixture {
 protected:
  ServerStatus AskStatus() {
    Connection client = Call();
    SendAll(client, HelloFrame(kStatusRequest));
    const auto [kind, body] = Answer(client);
    EXPECT_EQ(kind, "status") << body;
    return ServerStatusFromJson(body);
  }
};

// What a session's process tells, as a shell says it.
std::vector<std::string> Telling(const std::string& json, const std::string& then) {
  return {"sh", "-c", "echo '" + json + "'; " + then};
}

TEST_F(LobbyServiceTest, WritesDownWhatASessionTellsAndThenHowItEnded) {
  command_ = Telling(R"({"event":"plan_agreed","text":"plan: x","plan":"write_bw rc","tests":2}
{"event":"test_started","text":"write_bw rc begins"}
{"event":"session_ended","text":"failed: no more","error":{"message":"no more"}})",
                     "exit 3");
  Open();
  Connection client = CallAndSayHello();
  const std::string name = client.local().ToString();
  EXPECT_TRUE(journal_.Has(name + " is served by process "));
  EXPECT_TRUE(journal_.Has(name + " write_bw rc begins\n"));
  EXPECT_TRUE(journal_.Has(name + " failed: no more; exit code 3, session 1, process "));
  EXPECT_TRUE(journal_.Has(", of write_bw rc 1 of 2 tests begun, 0 sizes measured\n"));
}

TEST_F(LobbyServiceTest, TellsPlanAndFiguresAgainWhenASessionEnds) {
  command_ = Telling(
      R"({"event":"plan_agreed","text":"plan: x","plan":"write_bw rc","tests":2,"tests_refused":1}
{"event":"test_started","text":"write_bw rc begins"}
{"event":"size_measured","text":"write_bw rc 64 B"}
{"event":"session_ended","text":"failed: no more"})",
      "exit 3");
  Open();
  Connection client = CallAndSayHello();
  const nlohmann::json end = EventToJson(journal_.Await(EventKind::kSessionEnded));
  EXPECT_EQ(end["plan"], "write_bw rc");
  EXPECT_EQ(end["tests"], 2);
  EXPECT_EQ(end["tests_refused"], 1);
  EXPECT_EQ(end["tests_started"], 1);
  EXPECT_EQ(end["sizes_measured"], 1);
  EXPECT_EQ(end["exit_code"], 3);
}

TEST_F(LobbyServiceTest, DoesNotListenToASessionThatSpeaksForOthers) {
  command_ = Telling(R"({"event":"session_started","text":"x","peer":"10.0.0.1:5"})", "exit 0");
  Open();
  Connection client = CallAndSayHello();
  const std::string name = client.local().ToString();
  EXPECT_TRUE(journal_.Has(name + " is not listened to any more: it sent what is no event"));
  EXPECT_TRUE(journal_.Has(name + " ended: exit code 0"));
  EXPECT_THAT(journal_.text(), testing::Not(HasSubstr("10.0.0.1")));
}

TEST_F(LobbyServiceTest, SaysThatItIsIdle) {
  options_.session_limits.queue_pairs = 7;
  Open();
  const ServerStatus status = AskStatus();
  EXPECT_EQ(status.tool_version, "0.1.0");
  EXPECT_TRUE(status.sessions.empty());
  EXPECT_TRUE(status.queue.empty());
  EXPECT_EQ(status.limits.queue_pairs, 7u);
  EXPECT_EQ(status.limits.queued, options_.queue);
}

TEST_F(LobbyServiceTest, SaysWhatItIsDoingWhileItIsBusy) {
  command_ = Telling(R"({"event":"plan_agreed","text":"plan: x","plan":"write_bw rc","tests":2}
{"event":"test_started","text":"write_bw rc begins"})",
                     "exec sleep 1000");
  Open();
  Connection first = CallAndSayHello();
  ASSERT_TRUE(journal_.Has("write_bw rc begins"));
  Connection second = CallAndSayHello();
  ASSERT_TRUE(GetsPlace(second, 1));
  const ServerStatus status = AskStatus();
  ASSERT_EQ(status.sessions.size(), 1u);
  EXPECT_EQ(status.sessions[0].peer, first.local().ToString());
  EXPECT_EQ(status.sessions[0].pid, static_cast<std::uint64_t>(pid_));
  EXPECT_EQ(status.sessions[0].plan, "write_bw rc");
  EXPECT_EQ(status.sessions[0].tests_started, 1u);
  EXPECT_EQ(status.sessions[0].latest, "write_bw rc begins");
  ASSERT_EQ(status.queue.size(), 1u);
  EXPECT_EQ(status.queue[0].peer, second.local().ToString());
  EXPECT_TRUE(journal_.Has(" is told the status"));
}

TEST_F(LobbyServiceTest, CountsWhomItHasSentAway) {
  Open();
  Connection stranger = Call();
  SendAll(stranger, EncodeFrame("plan", nlohmann::json::object()));
  EXPECT_EQ(Answer(stranger).first, "error");
  EXPECT_EQ(AskStatus().totals.clients_dismissed, 1u);
}

struct SessionEnd {
  const char* told;  // the session's last event
  const char* then;
  const char* outcome;
  std::uint64_t ServerStatus::Totals::*total;
};

constexpr const char* kRefusalTold =
    R"({"event":"session_ended","outcome":"refused","text":"refused: too much"})";
constexpr SessionEnd kSessionEnds[] = {
    {R"({"event":"plan_agreed","plan":"write_bw rc","tests":1,"tests_refused":1})", "exit 0",
     "done", &ServerStatus::Totals::sessions_done},
    {R"({"event":"doctor_asked","text":"doctor"})", "exit 0", "done",
     &ServerStatus::Totals::sessions_done},
    {kRefusalTold, "exit 1", "refused", &ServerStatus::Totals::sessions_refused},
    {R"({"event":"plan_agreed","plan":"write_bw rc ×2","tests":0,"tests_refused":2})", "exit 0",
     "refused", &ServerStatus::Totals::sessions_refused},
    {R"({"event":"plan_agreed","plan":"write_bw rc ×2","tests":0,"tests_refused":2}
{"event":"session_ended","text":"failed: the client is gone"})",
     "exit 1", "failed", &ServerStatus::Totals::sessions_failed},
    {R"({"event":"session_ended","text":"failed: no more"})", "exit 1", "failed",
     &ServerStatus::Totals::sessions_failed},
    {R"({"event":"session_ended","outcome":"done","text":"failed: no more"})", "exit 1", "failed",
     &ServerStatus::Totals::sessions_failed},
    {kRefusalTold, "exit 130", "interrupted", &ServerStatus::Totals::sessions_interrupted},
    {R"({"event":"session_ended","text":"failed: peer: interrupted","error":{"message":"peer: interrupted","code":"interrupted"}})",
     "exit 1", "interrupted", &ServerStatus::Totals::sessions_interrupted},
    {kRefusalTold, "kill -9 $$", "killed", &ServerStatus::Totals::sessions_failed},
};

class SessionEnds : public LobbyServiceTest, public testing::WithParamInterface<SessionEnd> {};

TEST_P(SessionEnds, AreCountedEachInOneTotal) {
  command_ = Telling(GetParam().told, GetParam().then);
  Open();
  Connection client = CallAndSayHello();
  EXPECT_EQ(EventToJson(journal_.Await(EventKind::kSessionEnded))["outcome"], GetParam().outcome);
  const ServerStatus::Totals totals = AskStatus().totals;
  EXPECT_EQ(totals.*GetParam().total, 1u);
  EXPECT_EQ(totals.sessions_done + totals.sessions_refused + totals.sessions_interrupted +
                totals.sessions_failed,
            1u);
}

INSTANTIATE_TEST_SUITE_P(All, SessionEnds, testing::ValuesIn(kSessionEnds));

std::size_t OpenDescriptors() {
  namespace fs = std::filesystem;
  return static_cast<std::size_t>(
      std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator()));
}

// True once there are so many again: the lobby closes its own in its own time.
bool ComesBackTo(std::size_t descriptors) {
  const Deadline until = In(kTestPatience);
  while (OpenDescriptors() != descriptors && Now() < until) std::this_thread::yield();
  return OpenDescriptors() == descriptors;
}

TEST_F(LobbyServiceTest, KeepsNothingOfThoseItHasServed) {
  options_.sessions = 4;
  options_.per_address = 1000;
  command_ = {"true"};
  Open();
  const std::size_t before = OpenDescriptors();
  constexpr int kRounds = 200;
  for (int i = 0; i < kRounds; ++i) {
    Connection served = CallAndSayHello();
    EXPECT_EQ(Answer(served).first, "admitted");
    const Connection silent = Call();
    Connection garbled = Call();
    SendAll(garbled, "GET / HTTP/1.1\r\n\r\n");
    EXPECT_EQ(Answer(garbled).first, "error");
    AskStatus();
  }
  const Deadline until = In(kTestPatience);
  while (AskStatus().totals.sessions_done < kRounds && Now() < until) continue;
  EXPECT_EQ(AskStatus().totals.sessions_done, std::uint64_t{kRounds});
  EXPECT_TRUE(ComesBackTo(before)) << before << " descriptors before, now " << OpenDescriptors();
  EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1);
  EXPECT_EQ(errno, ECHILD) << "a process is left";
}

}  // namespace
}  // namespace rdmabench
