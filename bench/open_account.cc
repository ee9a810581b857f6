#include "bench/open_account.h"

namespace rdmabench {

OpenRun OpenRunOf(const std::vector<JobRun>& runs,
                  const std::vector<report::Histogram>& service_times, const TickClock& clock) {
  OpenRun open;
  double per_tick = 0.0;
  for (const JobRun& run : runs) {
    open.planned += run.planned.messages;
    per_tick += run.planned.per_tick;
    open.backlog_max += run.planned.backlog_max;
    open.backlog_end += run.planned.backlog_end;
  }
  for (const report::Histogram& histogram : service_times) open.service.histogram.Add(histogram);
  open.service.ns_per_tick = clock.NanosecondsPerTick();
  open.offered_messages_per_second = per_tick / clock.NanosecondsPerTick() * 1e9;
  return open;
}

std::chrono::milliseconds LongestSilence(const Job& job, const TickClock& clock) {
  constexpr double kGapsAtRandom = 32.0;
  const double gaps = job.at_random ? kGapsAtRandom : 1.0;
  const double ticks = job.ticks_per_message * job.burst * gaps / job.queue_pairs;
  return std::chrono::milliseconds(
      static_cast<std::int64_t>(ticks * clock.NanosecondsPerTick() * 1e-6));
}

}  // namespace rdmabench
