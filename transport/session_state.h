// What a session's thread and the threads that use the session share: frames that wait to be sent,
// frames that wait to be received, and why the session has failed. A monitor: every member may be
// called from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transport/activity.h"
#include "transport/deadline.h"
#include "transport/descriptor.h"
#include "transport/error.h"

namespace rdmabench {

// Where a failure comes from.
enum class Cause {
  kOwn,        // this side: interrupted, or aborted by a watch; the connection works
  kPeerError,  // the peer sent an error frame
  kClosed,     // the peer closed the connection between two frames
  kLost,       // the peer is silent, sends what is no frame, or the connection broke
};

class SessionState {
 public:
  // `peer` names the other side in errors: "the server (192.168.77.2:18515)".
  explicit SessionState(std::string peer);
  ~SessionState();
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;

  // Readable when the session thread has something to do; Rest() resets it.
  int wake_fd() const { return wake_.get(); }
  void Wake() const;
  void Rest() const;

  // The outgoing side. Queue() throws when the peer is gone or too much waits already; QueueLast()
  // never.
  void Queue(std::string frame);
  void QueueLast(std::string frame);
  bool has_outgoing() const;
  std::string TakeOutgoing();  // empty when there is none

  // The incoming side. `bytes` is what the frame took on the wire; too many unread ones are a
  // failure.
  void Deliver(std::string kind, nlohmann::json body, std::size_t bytes);
  // Nothing when none came by the deadline. Throws the failure when no frame is left.
  std::optional<std::pair<std::string, nlohmann::json>> Next(Deadline deadline);

  // What each side is doing: this one, to be told; the peer, as it has told. The message count
  // begins anew with each step.
  void Begin(std::string_view step);
  void Count(std::uint64_t messages);
  Activity activity() const;
  void Heard();  // something came
  void Heard(Activity peer);
  // "it was last heard 1.6 s ago, while running (12345 messages)"; as long as the peer has not told
  // what it does: "it was last heard 1.6 s ago, after it sent 'peer'".
  std::string LastHeard() const;

  // The first failure stays, and raises the flag. Beside it the first one of this side's own and
  // the first one that the peer has told stay, too.
  void Fail(const Error& error, Cause cause);
  std::optional<Error> own_reason() const;
  // That the peer has told; waits for it until the deadline, or until the peer is gone.
  std::optional<Error> AwaitPeerReason(Deadline deadline);
  // The peer will send nothing more: a failure for that reason, unless it was expected.
  void Close(const Error& reason);
  void ExpectClose();
  std::optional<Error> failure() const;
  // True when the failure makes it pointless to go on reading.
  bool lost() const;
  const std::atomic<bool>& abort_flag() const { return abort_; }
  const std::string& peer() const { return peer_; }

 private:
  struct Failure {
    Error error;
    Cause cause;
  };
  struct Letter;

  void FailLocked(const Error& error, Cause cause);

  const std::string peer_;
  const Descriptor wake_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> outbox_;
  std::size_t outbox_bytes_ = 0;
  std::deque<Letter> mailbox_;
  std::size_t mailbox_bytes_ = 0;
  std::optional<Failure> failure_;
  std::optional<Error> own_reason_;
  std::optional<Error> peer_reason_;
  bool close_expected_ = false;
  bool closed_ = false;
  std::atomic<bool> abort_ = false;
  Activity activity_;
  Activity peer_activity_;
  std::string last_kind_;  // of a frame of the peer's; empty: none has come
  std::optional<Deadline> heard_at_;
};

}  // namespace rdmabench
