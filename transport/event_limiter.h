// Keeps strangers from filling the disk: of what is written because of them, so many events a
// second are written and the others counted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>

#include "transport/deadline.h"
#include "transport/event.h"

namespace rdmabench {

class EventLimiter {
 public:
  static constexpr std::size_t kEventsASecond = 50;

  explicit EventLimiter(Log log);

  void Tell(const Event& event, Deadline now = Now());
  // To be called by then: says how many were left out in the second before.
  Deadline NextDuty() const;
  void TellWhatWasLeftOut(Deadline now = Now());
  // How many of a kind there were, left out or not.
  std::uint64_t CountOf(EventKind kind) const;

 private:
  const Log log_;
  std::map<EventKind, std::uint64_t> counts_;
  Deadline second_began_;
  std::size_t told_ = 0;  // in this second
  std::size_t left_out_ = 0;
};

}  // namespace rdmabench
