#include "report/progress_curve.h"

#include <algorithm>

namespace rdmabench::report {

ProgressCurve::ProgressCurve(std::uint64_t messages, double window_seconds,
                             std::span<const ProgressSample> samples)
    : points_{{0.0, 0}} {
  for (const ProgressSample& sample : samples) {
    if (sample.seconds <= points_.back().seconds) continue;
    if (sample.seconds >= window_seconds) break;
    points_.push_back(
        {sample.seconds, std::clamp(sample.messages, points_.back().messages, messages)});
  }
  points_.push_back({window_seconds, messages});
}

double ProgressCurve::At(double seconds) const {
  const auto after = std::lower_bound(
      points_.begin() + 1, points_.end() - 1, seconds,
      [](const ProgressSample& point, double moment) { return point.seconds < moment; });
  const ProgressSample& before = *(after - 1);
  const double part =
      std::clamp((seconds - before.seconds) / (after->seconds - before.seconds), 0.0, 1.0);
  return static_cast<double>(before.messages) +
         part * static_cast<double>(after->messages - before.messages);
}

double ProgressCurve::LongestGap() const {
  double longest = 0.0;
  for (std::size_t i = 1; i < points_.size(); ++i) {
    longest = std::max(longest, points_[i].seconds - points_[i - 1].seconds);
  }
  return longest;
}

}  // namespace rdmabench::report
