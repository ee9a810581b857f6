// From what the workers of one side did in a run to the side's account.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/clock.h"
#include "bench/job.h"
#include "bench/monitor.h"
#include "bench/sample_log.h"
#include "bench/side_run.h"
#include "report/histogram.h"
#include "report/report.h"

namespace rdmabench {

report::Traffic SentBy(const std::vector<JobRun>& runs, std::uint32_t message_bytes,
                       const TickClock& clock);

// What was sent and received, and what it cost.
void AccountFor(const Job& job, const std::vector<JobRun>& runs, const TickClock& clock,
                SideRun& own);

// What was sent and received over each of several devices; of one it is all.
void AccountForRails(const std::vector<JobRun>& runs, std::size_t rails, SideRun& own);

// When the windows opened, and how the count went from then on. `before`: a moment before they did.
void PlaceInTime(const std::vector<JobRun>& runs, std::span<const Sample> samples,
                 const TickClock& clock, const TickClock::Moment& before, SideRun& own);

// `histograms`: one of each worker; `kept` is moved from.
RoundTrips RoundTripsOf(const std::vector<JobRun>& runs,
                        const std::vector<report::Histogram>& histograms,
                        std::vector<SampleLog>& kept, const TickClock& clock);

}  // namespace rdmabench
