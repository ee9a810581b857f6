#include "bench/run_account.h"

#include <algorithm>
#include <optional>
#include <string>

#include "bench/mean_turn.h"
#include "bench/op.h"
#include "bench/run_window.h"
#include "transport/cpu_counters.h"

namespace rdmabench {
namespace {

// When a window opened, by the system's clock; 0: it did not.
std::uint64_t OpenedNs(const RunWindow& window, const TickClock& clock,
                       const TickClock::Moment& before) {
  if (window.end_ticks == 0) return 0;
  constexpr double kNsPerSecond = 1e9;
  return before.nanoseconds +
         static_cast<std::uint64_t>(clock.Seconds(before.ticks, window.start_ticks) * kNsPerSecond);
}

// All but the bytes, of one part of all runs: &JobRun::sent or &JobRun::received.
template <class Part>
report::Traffic TrafficOf(const std::vector<JobRun>& runs, Part JobRun::*which,
                          const TickClock& clock) {
  report::Traffic traffic;
  for (const JobRun& run : runs) {
    const Part& part = run.*which;
    traffic.messages += part.messages;
    if (part.opcode) traffic.completion_opcode = OpcodeName(*part.opcode);
    traffic.messages_per_queue_pair.insert(traffic.messages_per_queue_pair.end(),
                                           part.per_queue_pair.begin(), part.per_queue_pair.end());
  }
  traffic.window_seconds = WindowOf(runs, which).Seconds(clock);
  return traffic;
}

report::Traffic ReceivedBy(const std::vector<JobRun>& runs, const TickClock& clock) {
  report::Traffic traffic = TrafficOf(runs, &JobRun::received, clock);
  for (const JobRun& run : runs) traffic.bytes += run.received.bytes;
  return traffic;
}

std::optional<report::Arrivals> ArrivalsOf(const std::vector<JobRun>& runs) {
  std::optional<report::Arrivals> sum;
  for (const JobRun& run : runs) {
    if (!run.received.arrivals) continue;
    if (!sum) sum.emplace();
    *sum += *run.received.arrivals;
  }
  return sum;
}

report::CpuCost CostOf(const std::vector<JobRun>& runs) {
  ThreadCost all = runs.front().cost;
  for (const JobRun& run : std::span(runs).subspan(1)) all += run.cost;
  report::CpuCost cost;
  cost.workers = {all.time.user_seconds, all.time.system_seconds};
  cost.why_no_events = all.counts.why_not;
  for (std::size_t i = 0; i < CpuEvents().size(); ++i) {
    if (const auto count = all.EventAt(i)) cost.events.emplace_back(CpuEvents()[i].name, *count);
  }
  return cost;
}

}  // namespace

report::Traffic SentBy(const std::vector<JobRun>& runs, std::uint32_t message_bytes,
                       const TickClock& clock) {
  report::Traffic traffic = TrafficOf(runs, &JobRun::sent, clock);
  traffic.bytes = traffic.messages * message_bytes;
  return traffic;
}

void AccountFor(const Job& job, const std::vector<JobRun>& runs, const TickClock& clock,
                SideRun& own) {
  if (job.duty.Initiates()) {
    own.sent = SentBy(runs, job.shape.message_bytes, clock);
    own.sent->queue_turn = MeanTurn(runs, job.shape.window, clock);
  }
  if (job.op->TakesReceives() && job.duty.Listens()) own.received = ReceivedBy(runs, clock);
  if (job.duty.sinks) own.arrivals = ArrivalsOf(runs);
  own.cpu = CostOf(runs);
}

void AccountForRails(const std::vector<JobRun>& runs, std::size_t rails, SideRun& own) {
  if (rails == 1) return;
  own.rails.resize(rails);
  for (std::size_t worker = 0; worker < runs.size(); ++worker) {
    RailRun& rail = own.rails[worker % rails];
    rail.sent_messages += runs[worker].sent.messages;
    rail.received_messages += runs[worker].received.messages;
  }
}

void PlaceInTime(const std::vector<JobRun>& runs, std::span<const Sample> samples,
                 const TickClock& clock, const TickClock::Moment& before, SideRun& own) {
  const RunWindow sent = WindowOf(runs, &JobRun::sent);
  const RunWindow received = WindowOf(runs, &JobRun::received);
  own.sent_opened_ns = OpenedNs(sent, clock, before);
  own.received_opened_ns = OpenedNs(received, clock, before);
  // When the first worker began to send, or else the first message arrived.
  const std::uint64_t start = sent.end_ticks != 0 ? sent.start_ticks : received.start_ticks;
  for (const Sample& sample : samples) {
    if (sample.ticks < start) continue;
    own.samples.push_back({clock.Seconds(start, sample.ticks), sample.counted});
  }
}

RoundTrips RoundTripsOf(const std::vector<JobRun>& runs,
                        const std::vector<report::Histogram>& histograms,
                        std::vector<SampleLog>& kept, const TickClock& clock) {
  RoundTrips trips;
  for (const report::Histogram& histogram : histograms) trips.histogram.Add(histogram);
  for (SampleLog& log : kept) log.MoveTo(trips.kept);
  for (const JobRun& run : runs) trips.lost += run.sent.lost_replies;
  trips.ns_per_tick = clock.NanosecondsPerTick();
  return trips;
}

}  // namespace rdmabench
