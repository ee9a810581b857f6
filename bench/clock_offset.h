// How the server's clock stands to the client's, from questions and answers over the session.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "bench/duty.h"
#include "report/report.h"
#include "transport/deadline.h"
#include "transport/session.h"

namespace rdmabench {

// Each moment on its own side's clock, in nanoseconds.
struct ClockExchange {
  std::uint64_t asked = 0;
  std::uint64_t answered = 0;  // the server's
  std::uint64_t heard = 0;
};

// By the exchange of the shortest round trip, as NTP does (RFC 5905, 8 and 10): the answer was
// given in its middle, or off it by half of it at most (Cristian, Distributed Computing 3, 1989).
// For at least one.
report::ClockOffset OffsetOf(std::span<const ClockExchange> exchanges);

// Both sides call it at the same time, when nothing else is under way; the client learns the
// offset. `now` reads this side's clock.
std::optional<report::ClockOffset> CompareClocks(Session& session, Role role,
                                                 const std::function<std::uint64_t()>& now,
                                                 Deadline deadline);

}  // namespace rdmabench
