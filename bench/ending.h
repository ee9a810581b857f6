// What ends a loop before its longest time: it is asked on the session thread, with the samples of
// the loop's progress, and true when they show enough.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bench/clock.h"
#include "bench/monitor.h"

namespace rdmabench {

// The rate has settled (report::IsFlat).
class SteadyRate {
 public:
  explicit SteadyRate(const TickClock& clock) : ns_per_tick_(clock.NanosecondsPerTick()) {}

  bool IsEnough(std::span<const Sample> samples);
  bool reached() const { return reached_; }

 private:
  double ns_per_tick_;
  bool reached_ = false;
};

// The 95 % interval of the mean rate is narrow enough, by the batch means that a report makes of
// it. It looks at every fiftieth sample only: each look is one more chance to stop at a lucky
// moment.
class NarrowInterval {
 public:
  // `percent`: half of the interval, of the mean.
  NarrowInterval(const TickClock& clock, double percent, std::uint64_t signal_every)
      : ns_per_tick_(clock.NanosecondsPerTick()), percent_(percent), signal_every_(signal_every) {}

  bool IsEnough(std::span<const Sample> samples);
  bool reached() const { return reached_; }
  // When last asked; absent: there were too few intervals.
  std::optional<double> half_width_percent() const { return half_width_percent_; }

 private:
  double ns_per_tick_;
  double percent_;
  std::uint64_t signal_every_;
  bool reached_ = false;
  std::optional<double> half_width_percent_;
};

}  // namespace rdmabench
