// The server's front door: accepts connections, reads their hello within a deadline, queues them,
// and hands one at a time (or `sessions` at a time) to a process of its own. Single-threaded and
// poll-driven; no device is opened here.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transport/event.h"
#include "transport/socket.h"

namespace rdmabench {

struct LobbyOptions {
  std::vector<std::string> bind = {};  // addresses; empty: all
  std::uint16_t port = 18515;
  std::size_t sessions = 1;    // served at once
  std::size_t queue = 64;      // waiting for their turn; one more is refused with these figures
  std::size_t strangers = 64;  // connections that have not said hello; one more is closed
  std::chrono::milliseconds hello_timeout{5000};
  std::chrono::milliseconds heartbeat{500};
  std::chrono::milliseconds peer_timeout{1500};  // silence of a queued client
  std::chrono::milliseconds kill_after{5000};    // from SIGTERM to SIGKILL of sessions at the end
  bool once = false;                             // return after the first session has ended
  std::string tool_version = {};
};

class Lobby {
 public:
  // Starts a session on the connection, for what the client's hello requests, and returns its
  // process id, which the lobby waits for. The child has to call Interrupt::RestoreSignals(). When
  // it throws an Error, the client sees its connection close.
  using Start = std::function<int(Connection, std::string_view request)>;

  Lobby(const LobbyOptions& options, Start start, Log log);  // listens; throws Error(kEnvironment)
  ~Lobby();
  Lobby(const Lobby&) = delete;
  Lobby& operator=(const Lobby&) = delete;
  std::uint16_t port() const;

  // Serves until `interrupt`, or the end of the first session with `once`. Then: no new ones are
  // accepted, queued clients are told, running sessions get SIGTERM, after five seconds SIGKILL.
  // Returns the exit status of the last session that ended: its exit code, or 128 and the signal's
  // number, or 1 when it could not be started; 0 when there was none.
  int Run(const Interrupt& interrupt);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rdmabench
