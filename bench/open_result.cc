#include "bench/open_result.h"

#include "report/latency.h"

namespace rdmabench {
namespace {

constexpr double kLeastShare = 0.99;

// What a run of another length would not give again.
void DropPercentiles(report::Latency& latency) {
  for (report::Percentile& percentile : latency.percentiles) {
    percentile = {.percent = percentile.percent};
  }
}

}  // namespace

bool IsSaturated(const SideRun& initiator) {
  if (!initiator.sent || initiator.sent->window_seconds <= 0.0) return false;
  const std::uint64_t lost = initiator.round_trips ? initiator.round_trips->lost : 0;
  const auto settled = static_cast<double>(initiator.sent->messages + lost);
  const double offered = initiator.open_loop->offered_messages_per_second;
  return settled / initiator.sent->window_seconds < kLeastShare * offered;
}

void PutOpenLoop(const TestPlan& plan, const SideRun& initiator, report::Result& result) {
  if (!initiator.open_loop || !result.latency) return;
  const OpenRun& run = *initiator.open_loop;
  const std::optional<report::Latency> service =
      report::LatencyOf(run.service.histogram, run.service.ns_per_tick,
                        report::LatencyBasis::kRoundTrip, plan.run.percentiles);
  if (!service) return;  // a peer's, which does not go with its response times
  report::OpenLoop& open = result.open_loop.emplace();
  open.arrival = plan.run.arrival;
  open.seed = initiator.arrival_seed;
  open.planned_messages = run.planned;
  open.offered_messages_per_second = run.offered_messages_per_second;
  if (result.window_seconds > 0.0) {
    open.achieved_messages_per_second =
        static_cast<double>(result.messages) / result.window_seconds;
  }
  open.backlog_max = run.backlog_max;
  open.backlog_end = run.backlog_end;
  open.saturated = IsSaturated(initiator);
  open.service = *service;
  if (!open.saturated) return;
  DropPercentiles(*result.latency);
  DropPercentiles(open.service);
}

}  // namespace rdmabench
