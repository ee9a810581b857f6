#include "transport/event_limiter.h"

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

namespace rdmabench {
namespace {

constexpr std::chrono::seconds kSecond{1};

}  // namespace

EventLimiter::EventLimiter(Log log) : log_(std::move(log)) {}

void EventLimiter::Tell(const Event& event, Deadline now) {
  TellWhatWasLeftOut(now);
  ++counts_[event.kind];
  if (told_ == kEventsASecond) {
    ++left_out_;
    return;
  }
  ++told_;
  log_(event);
}

std::uint64_t EventLimiter::CountOf(EventKind kind) const {
  const auto found = counts_.find(kind);
  return found == counts_.end() ? 0 : found->second;
}

Deadline EventLimiter::NextDuty() const {
  return left_out_ > 0 ? second_began_ + kSecond : Deadline::max();
}

void EventLimiter::TellWhatWasLeftOut(Deadline now) {
  if (now < second_began_ + kSecond) return;
  if (left_out_ > 0) {
    log_({.kind = EventKind::kEventsLeftOut,
          .peer = "",
          .text = "left out " + std::to_string(left_out_) +
                  " events of clients that are not served: there were more than " +
                  std::to_string(kEventsASecond) + " in a second",
          .fields = {{"events", std::uint64_t{left_out_}}}});
  }
  second_began_ = now;
  told_ = 0;
  left_out_ = 0;
}

}  // namespace rdmabench
