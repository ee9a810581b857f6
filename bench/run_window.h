// When the workers of a side did their part of a run.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "bench/clock.h"
#include "bench/job.h"

namespace rdmabench {

// From the first worker that began to the last one that ended.
struct RunWindow {
  std::uint64_t start_ticks = ~std::uint64_t{0};
  std::uint64_t end_ticks = 0;

  void Cover(std::uint64_t start, std::uint64_t end) {
    if (start == 0) return;
    start_ticks = std::min(start_ticks, start);
    end_ticks = std::max(end_ticks, end);
  }
  double Seconds(const TickClock& clock) const {
    return end_ticks > start_ticks ? clock.Seconds(start_ticks, end_ticks) : 0.0;
  }
};

// Of one part, such as &JobRun::sent, of all runs.
template <class Part>
RunWindow WindowOf(std::span<const JobRun> runs, Part JobRun::*part) {
  RunWindow window;
  for (const JobRun& run : runs) window.Cover((run.*part).start_ticks, (run.*part).end_ticks);
  return window;
}

}  // namespace rdmabench
