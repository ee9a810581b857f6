// For tests of the lobby: one in a thread, its clients by hand, and processes in place of sessions.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "transport/event.h"
#include "transport/hangup.h"
#include "transport/hello.h"
#include "transport/interrupt.h"
#include "transport/lobby.h"
#include "transport/socket.h"

namespace rdmabench {

// Lines as they come, for another thread that waits for one.
class Journal {
 public:
  void Add(const Event& event);
  // True when a line with `part` has come.
  bool Has(std::string_view part);
  // The first event of this kind, once there is one. Throws Error where none comes.
  Event Await(EventKind kind);
  std::string text();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string text_;
  std::vector<Event> events_;
};

class LobbyFixture : public testing::Test {
 protected:
  LobbyFixture();
  void Open();
  void TearDown() override;
  // Waits until the lobby ends by itself.
  int Status();

  Connection Call();
  static std::string HelloFrame(std::string_view request = kRunRequest);
  Connection CallAndSayHello();
  // Reads until the client is told that it has this place.
  static bool GetsPlace(Connection& client, int place);
  // Reads past the places that the client is told; the kind of the next other frame.
  static std::pair<std::string, nlohmann::json> Answer(Connection& client);
  static std::string ErrorText(Connection& client);

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

}  // namespace rdmabench
