#include "bench/mean_turn.h"

#include <algorithm>
#include <cassert>

#include "bench/run_window.h"

namespace rdmabench {
namespace {

constexpr double kMostLeftOut = 0.01;

bool IsSmall(std::uint64_t part, std::uint64_t whole) {
  return static_cast<double>(part) <= kMostLeftOut * static_cast<double>(whole);
}

bool Covers(const Turns& turns, std::uint64_t messages, std::uint32_t depth,
            const RunWindow& window) {
  return turns.count > 0 && IsSmall(messages - turns.count * depth, messages) &&
         IsSmall(window.end_ticks - std::min(turns.last_ticks, window.end_ticks),
                 window.end_ticks - window.start_ticks) &&
         IsSmall(turns.starved, turns.count);
}

}  // namespace

std::optional<report::QueueTurn> MeanTurn(std::span<const JobRun> runs, std::uint32_t depth,
                                          const TickClock& clock) {
  const RunWindow window = WindowOf(runs, &JobRun::sent);
  double messages = 0.0;
  double turn_ticks = 0.0;
  double refill_ticks = 0.0;
  for (const JobRun& run : runs) {
    assert(run.sent.turns.empty() || run.sent.turns.size() == run.sent.per_queue_pair.size());
    for (std::size_t i = 0; i < run.sent.turns.size(); ++i) {
      const Turns& turns = run.sent.turns[i];
      const std::uint64_t sent = run.sent.per_queue_pair[i];
      if (!Covers(turns, sent, depth, window)) return std::nullopt;
      // Each queue pair counts by its messages, so that the rate of all times the mean is the sum
      // of what each of them has in its queue.
      const double weight = static_cast<double>(sent) / static_cast<double>(turns.count);
      messages += static_cast<double>(sent);
      turn_ticks += weight * static_cast<double>(turns.last_ticks - window.start_ticks);
      refill_ticks += weight * static_cast<double>(turns.refill_ticks);
    }
  }
  if (messages == 0.0) return std::nullopt;
  const double ns_per_tick = clock.NanosecondsPerTick();
  return report::QueueTurn{.turn_ns = turn_ticks / messages * ns_per_tick,
                           .refill_ns = refill_ticks / messages * ns_per_tick};
}

}  // namespace rdmabench
