// The thread that owns a session's connection: the only one that reads it, writes it, and judges
// whether the peer lives.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/frame.h"
#include "transport/interrupt.h"
#include "transport/session_state.h"
#include "transport/socket.h"

namespace rdmabench {

struct LoopOptions {
  std::chrono::milliseconds heartbeat;
  std::chrono::milliseconds silence_limit;
  const Interrupt* interrupt;  // may be null
};

class SessionLoop {
 public:
  using Watch = std::function<Deadline(Deadline now)>;

  // Starts the thread. `state` must outlive it.
  SessionLoop(Connection connection, const LoopOptions& options, SessionState& state);
  // Sends what is queued and waits for the peer to close its side, for at most a second (less when
  // the peer is lost).
  ~SessionLoop();
  SessionLoop(const SessionLoop&) = delete;
  SessionLoop& operator=(const SessionLoop&) = delete;

  void SetWatch(Watch watch);
  void DivertInterrupt(std::atomic<bool>* flag);
  // Starts the measurement of silence anew.
  void SetSilenceLimit(std::chrono::milliseconds limit);
  void SetFrameLimit(std::size_t bytes);
  void Pin(unsigned cpu);

  const SocketAddress& local() const { return local_; }
  const SocketAddress& peer() const { return peer_; }

 private:
  void Run();
  void Turn();
  void ApplySettings();
  Deadline RunWatch();
  void Wait(Deadline planned);
  void TakeInterrupt();
  // `broken`: why nothing can be sent any more, where that is so.
  void Receive(const Error* broken = nullptr);
  void Digest(std::string_view bytes);
  void Handle(const std::string& frame);
  void EndReading(const Error* broken);  // null: the peer has closed the connection
  void JudgeSilence();
  void Beat();
  bool has_unsent() const;
  void Send();
  void CloseGracefully();

  const SocketAddress local_;
  const SocketAddress peer_;
  const LoopOptions options_;
  SessionState& state_;

  // Set by other threads.
  std::mutex watch_mutex_;
  Watch watch_;
  Deadline watch_next_;
  std::atomic<bool>* interrupt_flag_ = nullptr;  // guarded by watch_mutex_
  std::atomic<std::chrono::milliseconds> wanted_silence_limit_;
  std::atomic<std::size_t> frame_limit_ = kMaxFrameBeforeAcceptance;
  std::atomic<bool> stopping_ = false;

  // The thread's own.
  Connection connection_;
  FrameDecoder decoder_;
  std::string sending_;  // the frame under way
  std::size_t sent_ = 0;
  bool reading_ = true;
  bool writing_ = true;
  bool interrupted_ = false;
  std::chrono::milliseconds silence_limit_;
  Deadline heard_at_;
  Deadline next_beat_;

  std::thread thread_;  // last: it uses all of the above
};

}  // namespace rdmabench
