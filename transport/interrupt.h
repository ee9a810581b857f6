// The user's wish to end the program, as a descriptor that every wait of the suite watches.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <thread>

#include "transport/deadline.h"
#include "transport/descriptor.h"

namespace rdmabench {

// Becomes readable when the user wants the program to end: SIGINT and SIGTERM of this process,
// which the constructor blocks in the calling thread (and so in all that it starts later: no call
// of theirs is ever interrupted by one). A thread of its own takes them, so that a second one ends
// the program at once whatever all others are busy with, also where nobody watches the descriptor.
// Those that come within `same_wish` of the first do not count: timeout(1) sends a signal to the
// program and then to its group, a terminal to all of a pipeline.
class Interrupt {
 public:
  explicit Interrupt(std::chrono::milliseconds same_wish = std::chrono::milliseconds(500));
  ~Interrupt();  // from then on a signal ends the program
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  // Stays readable once it is.
  int fd() const { return either_.get(); }
  // True when a signal has arrived, now or earlier.
  bool Pending() const;
  // The next signal ends the program, whether or not there was one. One that has come already is
  // not the next, though the thread may not have taken it yet.
  void LetTheNextEnd() const;
  // For a child between fork and exec, which would inherit the blocked signals: unblocks them.
  // Async-signal-safe.
  static void RestoreSignals();

 private:
  void TakeSignals();
  void TakeThoseThatCame() const;  // under mutex_

  const std::chrono::milliseconds same_wish_;
  Descriptor signals_;
  Descriptor latch_;   // set at the first signal, never reset
  Descriptor either_;  // readable when one of the two is
  Descriptor stop_;
  mutable std::mutex mutex_;  // of the two below, and of taking signals
  mutable bool next_ends_ = false;
  mutable std::optional<Deadline> granted_until_;  // absent: there was none
  std::thread thread_;                             // last: it uses all of the above
};

}  // namespace rdmabench
