// From what the workers of an open loop did to the side's account.
#pragma once

#include <chrono>
#include <vector>

#include "bench/clock.h"
#include "bench/job.h"
#include "bench/side_run.h"
#include "report/histogram.h"

namespace rdmabench {

// `service_times`: one of each worker, in ticks.
OpenRun OpenRunOf(const std::vector<JobRun>& runs,
                  const std::vector<report::Histogram>& service_times, const TickClock& clock);

// For how long nothing may be due by plan: one gap; or at random one so long that of e^32 gaps one
// is longer.
std::chrono::milliseconds LongestSilence(const Job& job, const TickClock& clock);

}  // namespace rdmabench
