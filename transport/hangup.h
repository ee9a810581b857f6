// SIGHUP as a descriptor: the administrator's wish that a server reads its files again.
#pragma once

#include "transport/descriptor.h"

namespace rdmabench {

// The constructor blocks SIGHUP in the calling thread (and so in all that it starts later), which
// therefore never ends the process, whether a terminal closes or an administrator sends it.
class Hangup {
 public:
  Hangup();
  int fd() const { return signals_.get(); }  // readable when it has come
  // Takes those that have come; false when there was none.
  bool Take() const;
  // For a child between fork and exec: it goes on whatever becomes of the terminal, as its server
  // does. Async-signal-safe.
  static void Ignore();

 private:
  Descriptor signals_;
};

}  // namespace rdmabench
