// One side of a run's TCP session. A thread of its own owns the socket: it reads every frame,
// writes every frame, sends a heartbeat each half second, notices a dead peer, and calls the watch
// of the run under way. The others talk to it through Send(), Receive() and the abort flag.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/peer_error.h"
#include "transport/socket.h"

namespace rdmabench {

// Goes up when a frame changes; both sides must have the same.
inline constexpr int kProtocolVersion = 6;

struct SessionOptions {
  std::string_view side = "client";  // this side's name in errors, "client" or "server"; a literal
  std::string_view peer = "server";
  std::chrono::milliseconds heartbeat{500};
  std::chrono::milliseconds peer_timeout{1500};  // silence after which the peer counts as dead
  std::chrono::milliseconds handshake_timeout{10000};  // the same before Accepted()
  const Interrupt* interrupt = nullptr;                // ends the session when the user wants to
  std::optional<unsigned> cpu = {};                    // where the session thread is pinned
};

class Session {
 public:
  Session(Connection connection, const SessionOptions& options);
  // Sends what is still queued (for at most a second), then closes the connection.
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Queues one frame. Throws the session's failure when the peer or the connection caused it, and
  // when too much waits to be sent. After an interrupt or Abort() the peer is still there, and
  // frames go out.
  void Send(std::string_view kind, const nlohmann::json& body);

  // Frames that came before a failure are received before it is thrown.
  // The body of the next frame, which has to be of this kind (or one of `kinds`, whose name is then
  // returned too). Throws Error(kRun): "peer: …" for an error frame, the peer gone, out of turn, or
  // `deadline` passed; and Error(kInterrupted). `awaited` says in words what is being waited for.
  nlohmann::json Receive(std::string_view kind, Deadline deadline, std::string_view awaited);
  std::pair<std::string, nlohmann::json> ReceiveAny(std::initializer_list<std::string_view> kinds,
                                                    Deadline deadline, std::string_view awaited);

  // Tells the peer why this side gives up: queues {"error": {…}}. Never throws.
  void Fail(const Error& error) noexcept;
  bool has_failed() const;  // whether it was told

  // What this side is doing, in words: where its errors happen, and what each heartbeat tells the
  // peer, with the messages that it has completed in this step, once they are counted.
  void Begin(std::string_view step);
  std::string step() const;
  void Count(std::uint64_t messages);
  // The last sign of life: "it was last heard 0.3 s ago, while running (12345 messages)".
  std::string PeerLastHeard() const;

  // Raised when the run has to end: the peer is gone or failed, the user interrupted. Drivers read
  // it once per poll batch.
  const std::atomic<bool>& abort_flag() const;
  // Why the flag is raised.
  std::optional<Error> failure() const;
  // Ends the session from a watch: sets the failure and raises the flag.
  void Abort(const Error& error);
  // The first one of Abort(), also where the peer's error came before; absent: there was none.
  std::optional<Error> own_reason() const;
  // What the peer says of itself after this side has told it why it gives up. Waits until the
  // deadline, or until the peer is gone.
  std::optional<Error> AwaitPeerReason(Deadline deadline);

  // Called on the session thread at the time it last returned (at first: at once). Replaces the one
  // before; an empty one ends it, and after SetWatch() has returned the one before is not running
  // any more. A watch may Send() and Abort(), but not SetWatch(); an Error that it throws ends the
  // session as Abort() does.
  using Watch = std::function<Deadline(Deadline now)>;
  void SetWatch(Watch watch);
  // While there is a flag, the user's interrupt sets it and is no failure; null ends that.
  void DivertInterrupt(std::atomic<bool>* flag);

  // After acceptance: larger frames, and `peer_timeout` in place of `handshake_timeout`.
  void Accepted();
  void SetPeerTimeout(std::chrono::milliseconds timeout);
  // After it the peer's closing the connection is no failure; nor is it one any more if that was
  // all that happened.
  void ExpectClose();
  // Pins the session thread (from any thread).
  void PinThread(unsigned cpu);

  const SocketAddress& local() const;
  const SocketAddress& peer() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace rdmabench
