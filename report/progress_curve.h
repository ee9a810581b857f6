// How a count grew within a window, from samples of it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rdmabench::report {

// How many messages were complete at a moment, counted and timed from the opening of the window.
struct ProgressSample {
  double seconds = 0.0;
  std::uint64_t messages = 0;
};

// Nothing was complete when the window opened, everything when it closed; between two samples the
// count moves evenly.
class ProgressCurve {
 public:
  // `samples` in order of time, which need not include the ends; those outside the window are
  // ignored. The window has a length.
  ProgressCurve(std::uint64_t messages, double window_seconds,
                std::span<const ProgressSample> samples);

  double At(double seconds) const;
  double LongestGap() const;  // between two points
  // The samples between the two ends, and these.
  std::span<const ProgressSample> points() const { return points_; }

 private:
  std::vector<ProgressSample> points_;
};

}  // namespace rdmabench::report
