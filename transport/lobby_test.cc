#include "transport/lobby.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "transport/error.h"
#include "transport/event_pipe.h"
#include "transport/frame.h"
#include "transport/hello.h"
#include "transport/loopback.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Json = nlohmann::json;

constexpr milliseconds kShort{60};
constexpr milliseconds kNever{60'000};

// Lines as they come, for another thread that waits for one.
class Journal {
 public:
  void Add(const Event& event) {
    const std::lock_guard lock(mutex_);
    text_ += EventLine(event) + "\n";
    changed_.notify_all();
  }
  // True when a line with `part` has come.
  bool Has(std::string_view part) {
    std::unique_lock lock(mutex_);
    return changed_.wait_until(lock, In(kTestPatience),
                               [&] { return text_.find(part) != std::string::npos; });
  }
  std::string text() {
    const std::lock_guard lock(mutex_);
    return text_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
};

// A process in place of a session, which tells its events on its stdout. It is spawned, not forked,
// because the tests have threads.
int Spawn(std::vector<std::string> command, bool blocks_sigterm, int events) {
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t blocked;
  sigemptyset(&blocked);
  if (blocks_sigterm) sigaddset(&blocked, SIGTERM);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, events, STDOUT_FILENO);
  std::vector<char*> arguments;
  arguments.reserve(command.size() + 1);
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  pid_t pid = 0;
  const int code = posix_spawnp(&pid, arguments[0], &files, &attributes, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  posix_spawnattr_destroy(&attributes);
  Check(code, "cannot spawn " + command[0]);
  return pid;
}

class LobbyTest : public testing::Test {
 protected:
  LobbyTest() {
    options_.bind = {"127.0.0.1"};
    options_.port = 0;
    options_.heartbeat = milliseconds(10);
    options_.hello_timeout = kNever;
    options_.peer_timeout = kNever;
    options_.tool_version = "0.1.0";
  }

  void Open() {
    const auto start = [this](Connection connection, const Visit& visit) {
      SendAll(connection, EncodeFrame("admitted", {{"request", visit.request}}));
      EventPipe pipe;
      const int pid = Spawn(command_, blocks_sigterm_, pipe.writer.get());
      pid_ = pid;
      return SessionProcess{.pid = pid, .events = std::move(pipe.reader)};
    };
    lobby_.emplace(options_, start, [this](const Event& event) { journal_.Add(event); });
    thread_ = std::thread([this] { status_ = lobby_->Run(interrupt_, hangup_); });
  }

  void TearDown() override {
    if (!thread_.joinable()) return;
    kill(getpid(), SIGTERM);
    thread_.join();
  }
  // Waits until the lobby ends by itself.
  int Status() {
    thread_.join();
    return status_;
  }

  Connection Call() { return Dial({.host = "127.0.0.1", .port = lobby_->port()}); }
  std::string HelloFrame(std::string_view request = kRunRequest) {
    return EncodeFrame("hello", HelloToJson(MakeHello("0.1.0", request)));
  }
  Connection CallAndSayHello() {
    Connection client = Call();
    SendAll(client, HelloFrame());
    return client;
  }
  // Reads until the client is told that it has this place.
  static bool GetsPlace(Connection& client, int place) {
    while (const auto frame = ReadFrame(client)) {
      if (frame->first == "queued" && frame->second["place"] == place) return true;
    }
    return false;
  }
  // Reads past the places that the client is told; the kind of the next other frame.
  static std::pair<std::string, Json> Answer(Connection& client) {
    while (auto frame = ReadFrame(client)) {
      if (frame->first != "queued") return *frame;
    }
    return {"nothing", {}};
  }
  static std::string ErrorText(Connection& client) {
    const auto [kind, body] = Answer(client);
    return kind == "error" ? body["message"].get<std::string>() : kind;
  }

  const Interrupt interrupt_;  // first: its signals have to be blocked in all threads
  const Hangup hangup_;
  LobbyOptions options_;
  std::vector<std::string> command_ = {"sleep", "1000"};
  bool blocks_sigterm_ = false;
  Journal journal_;
  std::optional<Lobby> lobby_;
  std::thread thread_;
  int status_ = -1;
  std::atomic<int> pid_ = 0;  // of the session that was started last
};

TEST_F(LobbyTest, HandsAClientToAProcessAndReportsItsEnd) {
  command_ = {"true"};
  Open();
  Connection client = CallAndSayHello();
  const std::string name = client.local().ToString();
  EXPECT_EQ(Answer(client).first, "admitted");
  EXPECT_TRUE(journal_.Has(name + " is served by process "));
  EXPECT_TRUE(journal_.Has(name + " ended: exit code 0, process "));
}

// What a session's process tells, as a shell says it.
std::vector<std::string> Telling(const std::string& json, const std::string& then) {
  return {"sh", "-c", "echo '" + json + "'; " + then};
}

TEST_F(LobbyTest, WritesDownWhatASessionTellsAndThenHowItEnded) {
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

TEST_F(LobbyTest, DoesNotListenToASessionThatSpeaksForOthers) {
  command_ = Telling(R"({"event":"session_started","text":"x","peer":"10.0.0.1:5"})", "exit 0");
  Open();
  Connection client = CallAndSayHello();
  const std::string name = client.local().ToString();
  EXPECT_TRUE(journal_.Has(name + " is not listened to any more: it sent what is no event"));
  EXPECT_TRUE(journal_.Has(name + " ended: exit code 0"));
  EXPECT_THAT(journal_.text(), testing::Not(HasSubstr("10.0.0.1")));
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
  EXPECT_THAT(ErrorText(third), HasSubstr("place 2 in its queue was asked, 1 are allowed"));
  EXPECT_FALSE(ReadFrame(third)) << "the connection is closed";
}

TEST_F(LobbyTest, RemovesAQueuedClientThatLeaves) {
  Open();
  Connection first = CallAndSayHello();
  EXPECT_EQ(Answer(first).first, "admitted");
  std::optional<Connection> second = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(*second, 1));
  Connection third = CallAndSayHello();
  EXPECT_TRUE(GetsPlace(third, 2));
  const std::string name = second->local().ToString();
  second.reset();
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
  EXPECT_EQ(ErrorText(second), "the server is shutting down");
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
