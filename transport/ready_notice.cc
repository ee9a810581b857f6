#include "transport/ready_notice.h"

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "transport/deadline.h"
#include "transport/error.h"
#include "transport/socket.h"

namespace rdmabench {
namespace {

constexpr const char* kVariable = "NOTIFY_SOCKET";
constexpr std::chrono::seconds kPatience{1};

}  // namespace

ReadyNotice ReadyNotice::FromEnvironment() {
  const char* address = std::getenv(kVariable);
  ReadyNotice notice(address == nullptr ? "" : address);
  unsetenv(kVariable);
  return notice;
}

void ReadyNotice::Ready() { Send("READY=1"); }

void ReadyNotice::Reloading() {
  // The manager compares this clock's time with that of its own request.
  const std::chrono::microseconds now =
      std::chrono::duration_cast<std::chrono::microseconds>(Now().time_since_epoch());
  Send("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(now.count()));
}

void ReadyNotice::Stopping() { Send("STOPPING=1\nSTATUS=shutting down"); }

void ReadyNotice::Crowd(std::size_t sessions, std::size_t queued) {
  const std::string figures =
      std::to_string(sessions) + " sessions, " + std::to_string(queued) + " queued";
  Send("STATUS=" + (sessions + queued == 0 ? "idle" : figures));
}

void ReadyNotice::Send(std::string_view text) const {
  if (!address_.empty()) SendDatagram(address_, text, In(kPatience));
}

}  // namespace rdmabench
