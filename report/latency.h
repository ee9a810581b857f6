// From round trips to what a report says of them.
#pragma once

#include <optional>
#include <span>

#include "report/histogram.h"
#include "report/report.h"

namespace rdmabench::report {

// What a sample stands for: SEND and WRITE have a message in each direction, READ and atomics one
// that waits for its data.
enum class LatencyBasis { kHalfRoundTrip, kRoundTrip };

// Nanoseconds that a tick of a round trip stands for.
double NsPerTick(LatencyBasis basis, double ns_per_tick);

// `round_trips` in ticks; a Percentile for each of `percents`, known or not. Absent for no samples.
std::optional<Latency> LatencyOf(const Histogram& round_trips, double ns_per_tick,
                                 LatencyBasis basis, std::span<const double> percents);

}  // namespace rdmabench::report
