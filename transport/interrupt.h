// The user's wish to end the program, as a descriptor that every wait of the suite watches.
#pragma once

#include <chrono>

#include "transport/descriptor.h"

namespace rdmabench {

// Becomes readable when the user wants the program to end: SIGINT and SIGTERM of this process,
// which the constructor blocks in the calling thread (and so in all that it starts later). After
// Acknowledge() the next one ends the program at once, but for those that come within `same_wish`:
// timeout(1) sends a signal to the program and then to its group, a terminal to all of a pipeline.
class Interrupt {
 public:
  explicit Interrupt(std::chrono::milliseconds same_wish = std::chrono::milliseconds(500));
  int fd() const { return either_.get(); }
  // True when a signal has arrived, now or at an earlier call.
  bool Pending() const;
  // Takes the signal, and lets the calling thread be ended by the next one. Any thread may call it,
  // more than once; fd() stays readable.
  void Acknowledge() const;
  // Lets the calling thread be ended by the next signal, whether or not there was one.
  void LetTheNextEnd() const;
  // For a child between fork and exec, which would inherit the blocked signals: unblocks them.
  // Async-signal-safe.
  static void RestoreSignals();

 private:
  std::chrono::milliseconds same_wish_;
  Descriptor signals_;
  Descriptor latch_;   // set by Acknowledge(), never reset
  Descriptor either_;  // readable when one of the two is
};

}  // namespace rdmabench
