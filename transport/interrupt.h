// The user's wish to end the program, as a descriptor that every wait of the suite watches.
#pragma once

#include "transport/descriptor.h"

namespace rdmabench {

// Becomes readable when the user wants the program to end: SIGINT and SIGTERM of this process,
// which the constructor blocks in the calling thread (and so in all that it starts later).
// Acknowledge() puts the default dispositions back in place, so that a second Ctrl-C ends the
// program at once.
class Interrupt {
 public:
  Interrupt();
  int fd() const { return either_.get(); }
  // True when a signal has arrived, now or at an earlier call.
  bool Pending() const;
  // Takes the signal, and lets the calling thread be ended by the next one. Any thread may call it,
  // more than once; fd() stays readable.
  void Acknowledge() const;
  // For a child between fork and exec, which would inherit the blocked signals: unblocks them.
  // Async-signal-safe.
  static void RestoreSignals();

 private:
  Descriptor signals_;
  Descriptor latch_;   // set by Acknowledge(), never reset
  Descriptor either_;  // readable when one of the two is
};

}  // namespace rdmabench
