#include "transport/lobby_fixture.h"

#include <spawn.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/event_pipe.h"
#include "transport/frame.h"
#include "transport/loopback.h"

namespace rdmabench {
namespace {

constexpr std::chrono::milliseconds kNever{60'000};

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

}  // namespace

void Journal::Add(const Event& event) {
  const std::lock_guard lock(mutex_);
  text_ += EventLine(event) + "\n";
  events_.push_back(event);
  changed_.notify_all();
}

bool Journal::Has(std::string_view part) {
  std::unique_lock lock(mutex_);
  return changed_.wait_until(lock, In(kTestPatience),
                             [&] { return text_.find(part) != std::string::npos; });
}

Event Journal::Await(EventKind kind) {
  std::unique_lock lock(mutex_);
  const auto find = [&] {
    return std::find_if(events_.begin(), events_.end(),
                        [&](const Event& event) { return event.kind == kind; });
  };
  if (!changed_.wait_until(lock, In(kTestPatience), [&] { return find() != events_.end(); })) {
    throw Error(Blame::kRun, "there was no " + std::string(NameOf(kind)));
  }
  return *find();
}

std::string Journal::text() {
  const std::lock_guard lock(mutex_);
  return text_;
}

LobbyFixture::LobbyFixture() {
  options_.bind = {"127.0.0.1"};
  options_.port = 0;
  options_.heartbeat = std::chrono::milliseconds(10);
  options_.hello_timeout = kNever;
  options_.peer_timeout = kNever;
  options_.tool_version = "0.1.0";
}

void LobbyFixture::Open() {
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

void LobbyFixture::TearDown() {
  if (!thread_.joinable()) return;
  kill(getpid(), SIGTERM);
  thread_.join();
}

int LobbyFixture::Status() {
  thread_.join();
  return status_;
}

Connection LobbyFixture::Call() { return Dial({.host = "127.0.0.1", .port = lobby_->port()}); }
std::string LobbyFixture::HelloFrame(std::string_view request) {
  return EncodeFrame("hello", HelloToJson(MakeHello("0.1.0", request)));
}

Connection LobbyFixture::CallAndSayHello() {
  Connection client = Call();
  SendAll(client, HelloFrame());
  return client;
}

bool LobbyFixture::GetsPlace(Connection& client, int place) {
  while (const auto frame = ReadFrame(client)) {
    if (frame->first == "queued" && frame->second["place"] == place) return true;
  }
  return false;
}

std::pair<std::string, nlohmann::json> LobbyFixture::Answer(Connection& client) {
  while (auto frame = ReadFrame(client)) {
    if (frame->first != "queued") return *frame;
  }
  return {"nothing", {}};
}

std::string LobbyFixture::ErrorText(Connection& client) {
  const auto [kind, body] = Answer(client);
  return kind == "error" ? body["message"].get<std::string>() : kind;
}

}  // namespace rdmabench
