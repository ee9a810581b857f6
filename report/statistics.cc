#include "report/statistics.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace rdmabench::report {
namespace {

// The samples that lie inside the window, between its two ends, about which nobody has to ask:
// nothing was complete when it opened, and everything when it closed.
std::vector<ProgressSample> WithEnds(const Measurement& measurement) {
  std::vector<ProgressSample> points{{0.0, 0}};
  for (const ProgressSample& sample : measurement.samples) {
    if (sample.seconds <= points.back().seconds) continue;
    if (sample.seconds >= measurement.window_seconds) break;
    points.push_back({sample.seconds,
                      std::clamp(sample.messages, points.back().messages, measurement.messages)});
  }
  points.push_back({measurement.window_seconds, measurement.messages});
  return points;
}

double LongestGap(std::span<const ProgressSample> points) {
  double longest = 0.0;
  for (std::size_t i = 1; i < points.size(); ++i) {
    longest = std::max(longest, points[i].seconds - points[i - 1].seconds);
  }
  return longest;
}

std::size_t IntervalCount(const Measurement& measurement, std::span<const ProgressSample> points) {
  const IntervalRules& rules = measurement.rules;
  const double rate = static_cast<double>(measurement.messages) / measurement.window_seconds;
  const double groups_seconds =
      static_cast<double>(rules.minimum_groups) * static_cast<double>(rules.signal_every) / rate;
  const double shortest = std::max({rules.minimum_seconds, groups_seconds, LongestGap(points)});
  // A window of exactly ten intervals must not lose one to rounding.
  constexpr double kRounding = 1e-6;
  const double fitting = std::floor(measurement.window_seconds / shortest + kRounding);
  const auto count =
      static_cast<std::size_t>(std::min(fitting, static_cast<double>(rules.maximum_intervals)));
  return count < rules.minimum_intervals ? 0 : count;
}

// The count at a moment between two samples, as if it had moved evenly from one to the other.
double Interpolate(const ProgressSample& before, const ProgressSample& after, double seconds) {
  const double part = (seconds - before.seconds) / (after.seconds - before.seconds);
  return static_cast<double>(before.messages) +
         part * static_cast<double>(after.messages - before.messages);
}

}  // namespace

std::vector<Interval> EqualIntervals(const Measurement& measurement) {
  if (!(measurement.window_seconds > 0.0) || measurement.messages == 0) return {};
  const std::vector<ProgressSample> points = WithEnds(measurement);
  const std::size_t count = IntervalCount(measurement, points);
  if (count == 0) return {};
  const double length = measurement.window_seconds / static_cast<double>(count);

  std::vector<Interval> intervals;
  intervals.reserve(count);
  std::size_t next = 1;
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    const double end = length * static_cast<double>(i + 1);
    while (next + 1 < points.size() && points[next].seconds < end) ++next;
    // Rounding the running count, not each interval's, keeps the sum exact.
    const std::uint64_t reached = last ? measurement.messages
                                       : static_cast<std::uint64_t>(std::llround(
                                             Interpolate(points[next - 1], points[next], end)));
    intervals.push_back({length * static_cast<double>(i), length, reached - counted});
    counted = reached;
  }
  return intervals;
}

std::optional<Spread> Summarize(std::span<const Interval> intervals, double bytes_per_message) {
  if (intervals.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(intervals.size());
  std::vector<double> rates;
  rates.reserve(intervals.size());
  for (const Interval& interval : intervals) {
    rates.push_back(static_cast<double>(interval.messages) * bytes_per_message / interval.seconds);
  }
  double sum = 0.0;
  for (const double rate : rates) sum += rate;
  const double mean = sum / count;
  double squares = 0.0;
  for (const double rate : rates) squares += (rate - mean) * (rate - mean);
  const double stdev = std::sqrt(squares / (count - 1.0));
  const double half_width = StudentT95(intervals.size() - 1) * stdev / std::sqrt(count);
  const auto [min, peak] = std::minmax_element(rates.begin(), rates.end());
  return Spread{.interval_count = intervals.size(),
                .interval_seconds = intervals.front().seconds,
                .min_bytes_per_second = *min,
                .peak_bytes_per_second = *peak,
                .stdev_bytes_per_second = stdev,
                .ci95_low_bytes_per_second = mean - half_width,
                .ci95_high_bytes_per_second = mean + half_width};
}

std::optional<Bandwidth> BandwidthOf(const Measurement& measurement) {
  if (!(measurement.window_seconds > 0.0)) return std::nullopt;
  const auto messages = static_cast<double>(measurement.messages);
  const auto bytes = static_cast<double>(measurement.bytes);
  // Where there are no messages, there are no intervals to multiply with it either.
  const double bytes_per_message = measurement.messages == 0 ? 0.0 : bytes / messages;
  return Bandwidth{.bytes_per_second = bytes / measurement.window_seconds,
                   .messages_per_second = messages / measurement.window_seconds,
                   .spread = Summarize(EqualIntervals(measurement), bytes_per_message)};
}

double StudentT95(std::size_t degrees_of_freedom) {
  assert(degrees_of_freedom >= 1);
  constexpr std::array kSmall = {12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818,
                                 2.4469118,  2.3646243, 2.3060041, 2.2621572, 2.2281389,
                                 2.2009852,  2.1788128, 2.1603687, 2.1447867, 2.1314495};
  if (degrees_of_freedom <= kSmall.size()) return kSmall[degrees_of_freedom - 1];

  // Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5; right to 1e-6 from here on.
  constexpr double kZ = 1.959963984540054;  // the same quantile of the normal distribution
  constexpr double kZ2 = kZ * kZ;
  constexpr double kG1 = kZ * (kZ2 + 1.0) / 4.0;
  constexpr double kG2 = kZ * ((5.0 * kZ2 + 16.0) * kZ2 + 3.0) / 96.0;
  constexpr double kG3 = kZ * (((3.0 * kZ2 + 19.0) * kZ2 + 17.0) * kZ2 - 15.0) / 384.0;
  constexpr double kG4 =
      kZ * ((((79.0 * kZ2 + 776.0) * kZ2 + 1482.0) * kZ2 - 1920.0) * kZ2 - 945.0) / 92160.0;
  const auto n = static_cast<double>(degrees_of_freedom);
  return kZ + (kG1 + (kG2 + (kG3 + kG4 / n) / n) / n) / n;
}

}  // namespace rdmabench::report
