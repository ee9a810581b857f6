// The server's front door: accepts connections, hears at its reception what they want and whether
// they may have it, queues them, and hands one at a time (or `sessions` at a time) to a process of
// its own. Single-threaded and poll-driven; no device is opened here.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "transport/event.h"
#include "transport/hangup.h"
#include "transport/lobby_options.h"
#include "transport/running_session.h"
#include "transport/socket.h"

namespace rdmabench {

class Lobby {
 public:
  // Starts a session on the connection and returns its process, which the lobby waits for and
  // listens to. The child has to call Interrupt::RestoreSignals() and Hangup::Ignore(). When it
  // throws an Error, the client sees its connection close.
  using Start = std::function<SessionProcess(Connection, const Visit&)>;

  // Reads the secret and listens. Throws Error(kEnvironment).
  Lobby(const LobbyOptions& options, Start start, Log log);
  ~Lobby();
  Lobby(const Lobby&) = delete;
  Lobby& operator=(const Lobby&) = delete;
  std::uint16_t port() const;

  // Serves until `interrupt`, or the end of the first session with `once`. Then: no new ones are
  // accepted, queued clients are told, running sessions get SIGTERM, after five seconds SIGKILL.
  // At `hangup` the secret file is read again; when that fails, the secret stays as it was.
  // Returns the exit status of the last session that ended: its exit code, or 128 and the signal's
  // number, or 1 when it could not be started; 0 when there was none.
  int Run(const Interrupt& interrupt, const Hangup& hangup);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rdmabench
