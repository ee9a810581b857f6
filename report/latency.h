// From round trips to what a report says of them.
#pragma once

#include "report/histogram.h"
#include "report/report.h"

namespace rdmabench::report {

// What a sample stands for: SEND and WRITE have a message in each direction, READ and atomics one
// that waits for its data.
enum class LatencyBasis { kHalfRoundTrip, kRoundTrip };

// `round_trips` in ticks. A percentile is absent when fewer than ten samples lie beyond it. Absent
// for no samples.
std::optional<Latency> LatencyOf(const Histogram& round_trips, double ns_per_tick,
                                 LatencyBasis basis);

}  // namespace rdmabench::report
