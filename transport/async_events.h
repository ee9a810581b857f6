// What an opened device tells unasked: ports that go down, queues that break.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <string>

namespace rdmabench {

struct AsyncEvent {
  ibv_event_type type{};
  std::uint32_t qpn = 0;  // of a queue pair's
  int port = 0;           // of a port's
};

class AsyncEvents {
 public:
  // Takes over the reading of the context's events, which must not block any more. Throws
  // Error(kEnvironment).
  explicit AsyncEvents(ibv_context* context);

  // Readable when there is one.
  int fd() const { return context_->async_fd; }
  // The next one, or nothing. It is acknowledged already: one that is not keeps its queue pair,
  // completion queue or shared receive queue from ever being destroyed.
  std::optional<AsyncEvent> Next();
  // Whether they cannot be read any more: the device is gone.
  bool broken() const { return broken_; }

 private:
  ibv_context* context_;
  bool broken_ = false;
};

// "IBV_EVENT_PORT_ERR of port 1", "IBV_EVENT_QP_FATAL of queue pair 0x11".
std::string EventText(const AsyncEvent& event);

}  // namespace rdmabench
