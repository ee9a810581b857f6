// What the service manager that has started the server is told of it.
#pragma once

#include <cstddef>
#include <functional>

#include "transport/event.h"
#include "transport/ready_notice.h"

namespace rdmabench {

class ServiceManager {
 public:
  // `log` hears when the manager cannot be told; then it is not told any more.
  ServiceManager(ReadyNotice notice, Log log);

  void Ready();
  void Crowd(std::size_t sessions, std::size_t queued);
  // What follows from an event: that the server has read its secret again, or is shutting down.
  void Hear(const Event& event);

 private:
  void Tell(const std::function<void(ReadyNotice&)>& what);

  ReadyNotice notice_;
  Log log_;
};

}  // namespace rdmabench
