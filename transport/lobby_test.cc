#include "transport/lobby.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <optional>

#include "transport/error.h"
#include "transport/frame.h"
#include "transport/hello.h"
#include "transport/lobby_fixture.h"
#include "transport/loopback.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr milliseconds kShort{60};

class LobbyTest : public LobbyFixture {};

TEST_F(LobbyTest, HandsAClientToAProcessAndReportsItsEnd) {
  command_ = {"true"};
  Open();
  Connection client = CallAndSayHello();
  const std::string name = client.local().ToString();
  EXPECT_EQ(Answer(client).first, "admitted");
  EXPECT_TRUE(journal_.Has(name + " is served by process "));
  EXPECT_TRUE(journal_.Has(name + " ended: exit code 0, session 1, process "));
}

TEST_F(LobbyTest, HandsOnWhatTheClientHasComeFor) {
  options_.sessions = 2;
  Open();
  for (const std::string_view request : {kRunRequest, kDoctorRequest}) {
    Connection client = Call();
    SendAll(client, HelloFrame(request));
    EXPECT_EQ(Answer(client).second["request"], request);
  }
}

TEST_F(LobbyTest, TakesAHelloThatComesByteByByte) {
  Open();
  Connection client = Call();
  for (const char& byte : HelloFrame()) SendAll(client, {&byte, 1});
  EXPECT_EQ(Answer(client).first, "admitted");
}

TEST_F(LobbyTest, ServesOthersWhileAHelloIsOnlyHalfThere) {
  Open();
  Connection slow = Call();
  SendAll(slow, HelloFrame().substr(0, 20));
  Connection quick = CallAndSayHello();
  EXPECT_EQ(Answer(quick).first, "admitted");
}

TEST_F(LobbyTest, OverlooksAHeartbeatBeforeHello) {
  Open();
  Connection client = Call();
  SendAll(client, EncodeFrame("heartbeat", Json::object()) + HelloFrame());
  EXPECT_EQ(Answer(client).first, "admitted");
}

TEST_F(LobbyTest, SaysWhenAClientHasLeft) {
  Open();
  std::optional<Connection> client = Call();
  const std::string name = client->local().ToString();
  client.reset();
  EXPECT_TRUE(journal_.Has(name + " dismissed: it closed the connection before it said hello"));
}

TEST_F(LobbyTest, QueuesInOrderAndMovesUpWhenAChildExits) {
  Open();
  Connection first = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  Connection second = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(second, 1));
  Connection third = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(third, 2));
  EXPECT_TRUE(journal_.Has(third.local().ToString() + " queued at place 2"));
  ASSERT_TRUE(journal_.Has(first.local().ToString() + " is served by"));
  kill(pid_, SIGKILL);
  EXPECT_EQ(Answer(second).first, "admitted");
  EXPECT_TRUE(GetsPlace(third, 1));
  EXPECT_TRUE(journal_.Has(first.local().ToString() + " ended: signal 9 (Killed)"));
}

TEST_F(LobbyTest, ServesSeveralAtOnce) {
  options_.sessions = 2;
  Open();
  Connection first = CallAndSayHello();
  Connection second = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  EXPECT_EQ(Answer(second).first, "admitted");
  Connection third = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(third, 1));
}

TEST_F(LobbyTest, RefusesMoreThanTheQueueHolds) {
  options_.queue = 1;
  Open();
  Connection first = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  Connection second = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(second, 1));
  Connection third = CallAndSayHello();
  const Json refusal = Answer(third).second;
  EXPECT_THAT(refusal["message"].get<std::string>(),
              HasSubstr("place 2 in its queue was asked, 1 are allowed"));
  EXPECT_EQ(refusal["entry"], "full");
  EXPECT_FALSE(ReadFrame(third)) << "the connection is closed";
}

TEST_F(LobbyTest, RemovesAQueuedClientThatLeaves) {
  Open();
  Connection first = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  Connection second = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(second, 1));
  Connection third = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(third, 2));
  const std::string name = second.local().ToString();
  // Closed with bytes that it has not read it would be reset.
  second.FinishWriting();
  EXPECT_TRUE(GetsPlace(third, 1));
  EXPECT_TRUE(journal_.Has(name + " dismissed: it closed the connection while it was queued"));
}

TEST_F(LobbyTest, RemovesAQueuedClientThatIsSilent) {
  options_.peer_timeout = kShort;
  Open();
  Connection first = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  Connection second = CallAndSayHello();
  EXPECT_THAT(ErrorText(second), HasSubstr("silent for 0.06 s"));
}

TEST_F(LobbyTest, KeepsAQueuedClientThatSendsHeartbeats) {
  options_.peer_timeout = milliseconds(500);
  Open();
  Connection first = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  const Session waiting(CallAndSayHello(), {.heartbeat = milliseconds(10)});
  Connection silent = CallAndSayHello();
  EXPECT_THAT(ErrorText(silent), HasSubstr("silent for 0.5 s"));
  EXPECT_FALSE(waiting.failure());
}

TEST_F(LobbyTest, TellsHttpFromRdmabench) {
  Open();
  Connection browser = Call();
  SendAll(browser, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(ErrorText(browser), AllOf(HasSubstr("'GET '"), HasSubstr("looks like HTTP")));
  EXPECT_TRUE(journal_.Has(browser.local().ToString() + " dismissed: the peer began with 'GET '"));
}

TEST_F(LobbyTest, RefusesWhatIsNoHello) {
  Open();
  Connection client = Call();
  SendAll(client, EncodeFrame("plan", Json::object()));
  EXPECT_THAT(ErrorText(client), HasSubstr("'plan' in place of hello"));
}

TEST_F(LobbyTest, NamesAllVersionsToAClientOfAnotherProtocol) {
  Open();
  Hello hello = MakeHello("9.9.9", "run");
  hello.protocol = 77;
  Connection client = Call();
  SendAll(client, EncodeFrame("hello", HelloToJson(hello)));
  const std::string text =
      "the client (rdmabench 9.9.9) speaks protocol 77, the server (rdmabench 0.1.0) protocol " +
      std::to_string(kProtocolVersion);
  EXPECT_EQ(ErrorText(client), text);
  EXPECT_TRUE(journal_.Has(text));
}

TEST_F(LobbyTest, DismissesAStrangerWithoutHello) {
  options_.hello_timeout = kShort;
  Open();
  Connection silent = Call();
  EXPECT_THAT(ErrorText(silent), HasSubstr("no hello came within 0.06 s"));
}

TEST_F(LobbyTest, ClosesTheNewestStrangerBeyondTheBound) {
  options_.strangers = 1;
  Open();
  Connection first = Call();
  Connection second = Call();
  EXPECT_THAT(ErrorText(second), HasSubstr("1 connection without a hello so far"));
  EXPECT_TRUE(journal_.Has(second.local().ToString() + " turned away: "));
  SendAll(first, HelloFrame());
  EXPECT_EQ(Answer(first).first, "admitted");
}

TEST_F(LobbyTest, WaitsWhenThereAreNoDescriptorsLeft) {
  Open();
  rlimit before = {};
  getrlimit(RLIMIT_NOFILE, &before);
  const int next = dup(STDERR_FILENO);  // the lowest free one: the client's socket gets it
  close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next) + 1;
  setrlimit(RLIMIT_NOFILE, &none);
  Connection client = CallAndSayHello();
  EXPECT_TRUE(journal_.Has("cannot accept a connection: Too many open files"));
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(Answer(client).first, "admitted");
}

TEST_F(LobbyTest, GoesOnWhenASessionCannotBeStarted) {
  command_ = {"/nonexistent/rdmabench"};
  Open();
  Connection client = CallAndSayHello();
  EXPECT_TRUE(journal_.Has(client.local().ToString() + " cannot be served: cannot spawn"));
  Connection next = CallAndSayHello();
  EXPECT_TRUE(journal_.Has(next.local().ToString() + " cannot be served: cannot spawn"));
}

TEST_F(LobbyTest, ReturnsTheFirstSessionsExitCodeWithOnce) {
  options_.once = true;
  command_ = {"sh", "-c", "exit 7"};
  Open();
  Connection client = CallAndSayHello();
  EXPECT_EQ(Status(), 7);
}

TEST_F(LobbyTest, EndsAtAnInterrupt) {
  Open();
  Connection first = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  Connection second = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(second, 1));
  Connection stranger = Call();
  kill(getpid(), SIGTERM);
  EXPECT_EQ(Status(), 128 + SIGTERM);
  const Json farewell = Answer(second).second;
  EXPECT_EQ(farewell["message"], "the server is shutting down");
  EXPECT_EQ(farewell["entry"], "shutdown");
  EXPECT_EQ(kill(pid_, 0), -1) << "the session is reaped";
  EXPECT_TRUE(journal_.Has("ended: signal 15 (Terminated)"));
}

TEST_F(LobbyTest, KillsASessionThatDoesNotEndByItself) {
  options_.kill_after = kShort;
  blocks_sigterm_ = true;
  Open();
  Connection client = CallAndSayHello();
  EXPECT_EQ(Answer(client).first, "admitted");
  kill(getpid(), SIGINT);
  EXPECT_EQ(Status(), 128 + SIGKILL);
}

TEST(Lobby, NamesThePortThatIsTaken) {
  LobbyOptions options;
  options.bind = {"127.0.0.1"};
  options.port = 0;
  const auto start = [](Connection, const Visit&) { return SessionProcess{}; };
  const auto log = [](const Event&) {};
  const Lobby first(options, start, log);
  options.port = first.port();
  EXPECT_THAT([&] { Lobby(options, start, log); },
              testing::ThrowsMessage<Error>(HasSubstr(std::to_string(options.port))));
}

}  // namespace
}  // namespace rdmabench
