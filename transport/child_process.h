// A child of this process, as something that can be waited for together with sockets.
#pragma once

#include <optional>
#include <string>

#include "transport/descriptor.h"

namespace rdmabench {

// How a process ended.
struct Outcome {
  int status = 0;     // the exit code, or 128 and the signal's number, as a shell has it
  int signal = 0;     // that ended it; 0: none
  std::string words;  // "exit code 0", "signal 9 (Killed)"
};

class ChildProcess {
 public:
  // Takes over the child `pid`. Throws Error(kEnvironment), and has killed the child, where the
  // kernel has no process descriptors (before 5.3), or no descriptor is left.
  explicit ChildProcess(int pid);

  int pid() const { return pid_; }
  int fd() const { return descriptor_.get(); }  // readable when it has ended
  void Signal(int signal) const;
  // Takes the child's status off the system when it has ended; to be called until it has. No
  // Signal() after that.
  std::optional<Outcome> Reap() const;

 private:
  int pid_;
  Descriptor descriptor_;
};

}  // namespace rdmabench
