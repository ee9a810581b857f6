#include "report/steadiness.h"

#include <array>
#include <cmath>

#include "report/batch_means.h"

namespace rdmabench::report {
namespace {

constexpr auto kSlices = static_cast<double>(kSteadySlices);

// The rate of one slice, at its middle.
struct Point {
  double seconds = 0.0;
  double rate = 0.0;
};

Point PointBetween(const ProgressSample& before, const ProgressSample& after) {
  const double seconds = after.seconds - before.seconds;
  return {.seconds = before.seconds + seconds / 2.0,
          .rate = static_cast<double>(after.messages - before.messages) / seconds};
}

bool IsLineFlat(const std::array<Point, kSteadySlices>& points, double length) {
  Point mean;
  for (const Point& point : points) {
    mean.seconds += point.seconds / kSlices;
    mean.rate += point.rate / kSlices;
  }
  if (!(mean.rate > 0.0)) return false;
  double times = 0.0;
  double products = 0.0;
  for (const Point& point : points) {
    times += (point.seconds - mean.seconds) * (point.seconds - mean.seconds);
    products += (point.seconds - mean.seconds) * (point.rate - mean.rate);
  }
  const double slope = products / times;
  double residuals = 0.0;
  for (const Point& point : points) {
    const double residual = point.rate - mean.rate - slope * (point.seconds - mean.seconds);
    residuals += residual * residual;
  }
  // A line takes two degrees of freedom.
  const double error = std::sqrt(residuals / (kSlices - 2.0) / times);
  return std::abs(slope) * length <= kFlatShare * mean.rate ||
         std::abs(slope) <= StudentT95(kSteadySlices - 2) * error;
}

}  // namespace

bool IsFlat(std::span<const ProgressSample> samples) {
  if (samples.size() <= kSteadySlices) return false;
  const std::span<const ProgressSample> last = samples.last(kSteadySlices + 1);
  std::array<Point, kSteadySlices> points;
  for (std::size_t i = 0; i < kSteadySlices; ++i) {
    if (!(last[i + 1].seconds > last[i].seconds)) return false;
    points[i] = PointBetween(last[i], last[i + 1]);
  }
  return IsLineFlat(points, last.back().seconds - last.front().seconds);
}

}  // namespace rdmabench::report
