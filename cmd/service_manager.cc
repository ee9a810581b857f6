#include "cmd/service_manager.h"

#include <string>
#include <utility>

#include "transport/error.h"

namespace rdmabench {

ServiceManager::ServiceManager(ReadyNotice notice, Log log)
    : notice_(std::move(notice)), log_(std::move(log)) {}

void ServiceManager::Ready() {
  Tell([](ReadyNotice& notice) { notice.Ready(); });
}

void ServiceManager::Crowd(std::size_t sessions, std::size_t queued) {
  Tell([=](ReadyNotice& notice) { notice.Crowd(sessions, queued); });
}

void ServiceManager::Hear(const Event& event) {
  switch (event.kind) {
    case EventKind::kSecretRead:
    case EventKind::kSecretKept:
      // The manager waits for both after it has asked for a reload.
      return Tell([](ReadyNotice& notice) {
        notice.Reloading();
        notice.Ready();
      });
    case EventKind::kShuttingDown:
      return Tell([](ReadyNotice& notice) { notice.Stopping(); });
    default:
      return;
  }
}

void ServiceManager::Tell(const std::function<void(ReadyNotice&)>& what) {
  try {
    what(notice_);
  } catch (const Error& error) {
    notice_ = ReadyNotice("");
    log_({.kind = EventKind::kManagerLost,
          .peer = "",
          .text = std::string("the service manager is not told any more: ") + error.what(),
          .error = error});
  }
}

}  // namespace rdmabench
