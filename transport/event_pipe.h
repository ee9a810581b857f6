// How a session's process tells the server's parent what it does: events, one way, as lines of
// JSON over a pipe. So one process writes the whole log, and knows what each session is doing.
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "transport/descriptor.h"
#include "transport/event.h"

namespace rdmabench {

// Both ends are non-blocking and closed on exec. Throws Error(kEnvironment).
struct EventPipe {
  EventPipe();
  Descriptor reader;
  Descriptor writer;
};

// The session's end.
class EventWriter {
 public:
  // Sets the descriptor's modes, which may have come over an exec.
  explicit EventWriter(Descriptor pipe);
  // A parent that does not read for a second, or has gone, is not told any more: nothing is served
  // worse for that.
  // Any thread may call it.
  void Write(const Event& event);

 private:
  std::mutex mutex_;
  Descriptor pipe_;
  bool finished_ = false;
};

// The parent's end. What comes is bounded, and looked at as if a peer had sent it.
class EventReader {
 public:
  explicit EventReader(Descriptor pipe) : pipe_(std::move(pipe)) {}
  // Readable when there is something to read; -1 after the end.
  int fd() const { return pipe_.get(); }
  // The events that have come whole since the last call, at most what one turn should take. Throws
  // Error(kRun) when it was no event; then nothing more is read.
  std::vector<Event> Read();

 private:
  Descriptor pipe_;
  std::string unread_;  // of a line that is not whole
};

}  // namespace rdmabench
