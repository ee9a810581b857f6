// Follows the asynchronous events of all devices of a side, on a thread of its own that sleeps
// until there is one. What breaks ends the session; what may pass is a warning.
#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/site.h"
#include "transport/async_events.h"
#include "transport/deadline.h"
#include "transport/descriptor.h"
#include "transport/error.h"
#include "transport/session.h"

namespace rdmabench {

class DeviceWatch {
 public:
  // Each warning as soon as it is there, once; called by whoever has read the event. May be empty.
  using Warn = std::function<void(std::string_view warning)>;

  // `side` is this one's name in warnings, a literal. Site and session must outlive it. Throws
  // Error(kEnvironment).
  DeviceWatch(const Site& site, Session& session, std::string_view side, Warn warn);
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  // For the report: those that have come since the last call.
  std::vector<std::string> TakeWarnings();

  // What the devices have to do with a failure of now: "port 1 of rxe0 is down, since 2.3 s"; empty
  // where nothing is known.
  std::string Remark();

  // The error, with the remark before its causes where its row of the catalogue has to do with the
  // fabric.
  Error Explain(Error error);

 private:
  struct Watched {
    const Rail* rail = nullptr;
    AsyncEvents events;
    std::optional<Deadline> down_since = {};
    std::optional<Deadline> up_since = {};  // after it had been down
    bool has_failed = false;
  };

  void Run();
  void Look();  // with the mutex held
  void Handle(Watched& watched, const AsyncEvent& event);
  void Record(const std::string& warning);

  Session& session_;
  std::string_view side_;
  Warn warn_;
  Descriptor wake_;
  std::mutex mutex_;  // guards the rest but the thread
  std::vector<Watched> watched_;
  std::vector<std::string> known_;
  std::size_t told_ = 0;  // of these, in TakeWarnings()
  std::thread thread_;
};

}  // namespace rdmabench
