// Tells the service manager that has started this process how it is: sd_notify(3)'s protocol,
// datagrams to the socket that $NOTIFY_SOCKET names. Without a manager nothing is told.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rdmabench {

class ReadyNotice {
 public:
  // Takes the variable out of the environment: children must not speak for this process.
  // To be called while there is one thread.
  static ReadyNotice FromEnvironment();
  // A path, or '@' and an abstract name; empty: there is no manager.
  explicit ReadyNotice(std::string address) : address_(std::move(address)) {}

  // Each throws Error(kEnvironment) when it cannot be told within a second.
  void Ready();      // started, or reloaded
  void Reloading();  // until Ready()
  void Stopping();
  // One line, which the manager shows: "2 sessions, 1 queued", "idle".
  void Crowd(std::size_t sessions, std::size_t queued);

 private:
  void Send(std::string_view text) const;

  std::string address_;
};

}  // namespace rdmabench
