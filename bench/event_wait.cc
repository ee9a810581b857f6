#include "bench/event_wait.h"

#include <fcntl.h>
#include <poll.h>

#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr int kSleepMs = 10;
// What a starved engine waits for (credits, its schedule, room) makes no event.
constexpr int kStarvedSleepMs = 1;

}  // namespace

EventWait::EventWait(const Endpoint& endpoint) : channel_(endpoint.channel()) {
  for (const Cq& cq : endpoint.send_cqs()) cqs_.push_back(cq.get());
  for (const Cq& cq : endpoint.recv_cqs()) cqs_.push_back(cq.get());
  // Events are taken until there is none, which must not block.
  const int flags = fcntl(channel_->fd, F_GETFL);
  if (flags < 0 || fcntl(channel_->fd, F_SETFL, flags | O_NONBLOCK) != 0) {
    ThrowErrno(LastErrno(), "cannot make the completion channel non-blocking", {});
  }
}

void EventWait::Arm() {
  for (ibv_cq* cq : cqs_) ibv_req_notify_cq(cq, 0);
  armed_ = true;
}

void EventWait::Sleep(bool starved) {
  pollfd readable{.fd = channel_->fd, .events = POLLIN, .revents = 0};
  poll(&readable, 1, starved ? kStarvedSleepMs : kSleepMs);
  ibv_cq* cq = nullptr;
  void* context = nullptr;
  while (ibv_get_cq_event(channel_, &cq, &context) == 0) ibv_ack_cq_events(cq, 1);
  armed_ = false;
}

}  // namespace rdmabench
