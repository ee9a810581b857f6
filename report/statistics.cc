#include "report/statistics.h"

#include <algorithm>
#include <cmath>

#include "report/batch_means.h"

namespace rdmabench::report {
namespace {

std::size_t IntervalCount(const Measurement& measurement, double longest_gap) {
  const IntervalRules& rules = measurement.rules;
  const double rate = static_cast<double>(measurement.messages) / measurement.window_seconds;
  const double groups_seconds =
      static_cast<double>(rules.minimum_groups) * static_cast<double>(rules.signal_every) / rate;
  const double shortest = std::max({rules.minimum_seconds, groups_seconds, longest_gap});
  // A window of exactly ten intervals must not lose one to rounding.
  constexpr double kRounding = 1e-6;
  const double fitting = std::floor(measurement.window_seconds / shortest + kRounding);
  const auto count =
      static_cast<std::size_t>(std::min(fitting, static_cast<double>(rules.maximum_intervals)));
  return count < rules.minimum_intervals ? 0 : count;
}

std::vector<double> RatesOf(std::span<const Interval> intervals, double bytes_per_message) {
  std::vector<double> rates;
  rates.reserve(intervals.size());
  for (const Interval& interval : intervals) {
    rates.push_back(static_cast<double>(interval.messages) * bytes_per_message / interval.seconds);
  }
  return rates;
}

}  // namespace

std::vector<Interval> EqualIntervals(const Measurement& measurement) {
  if (!(measurement.window_seconds > 0.0) || measurement.messages == 0) return {};
  const ProgressCurve curve(measurement.messages, measurement.window_seconds, measurement.samples);
  const std::size_t count = IntervalCount(measurement, curve.LongestGap());
  if (count == 0) return {};
  const double length = measurement.window_seconds / static_cast<double>(count);

  std::vector<Interval> intervals;
  intervals.reserve(count);
  std::uint64_t counted = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool last = i + 1 == count;
    // Rounding the running count, not each interval's, keeps the sum exact.
    const std::uint64_t reached = last ? measurement.messages
                                       : static_cast<std::uint64_t>(std::llround(
                                             curve.At(length * static_cast<double>(i + 1))));
    intervals.push_back({length * static_cast<double>(i), length, reached - counted});
    counted = reached;
  }
  return intervals;
}

std::vector<Interval> Batches(const Measurement& measurement) {
  Measurement batched = measurement;
  batched.rules.maximum_intervals = std::min(batched.rules.maximum_intervals, kMostBatches);
  return EqualIntervals(batched);
}

std::optional<Spread> Summarize(std::span<const Interval> intervals,
                                std::span<const Interval> batches, double bytes_per_message) {
  if (intervals.size() < 2) return std::nullopt;
  const std::vector<double> rates = RatesOf(intervals, bytes_per_message);
  const std::optional<MeanInterval> interval = MeanIntervalOf(RatesOf(batches, bytes_per_message));
  if (!interval) return std::nullopt;
  double squares = 0.0;
  for (const double rate : rates) squares += (rate - interval->mean) * (rate - interval->mean);
  const auto [min, peak] = std::minmax_element(rates.begin(), rates.end());
  return Spread{
      .interval_count = intervals.size(),
      .interval_seconds = intervals.front().seconds,
      .min_bytes_per_second = *min,
      .peak_bytes_per_second = *peak,
      .stdev_bytes_per_second = std::sqrt(squares / (static_cast<double>(rates.size()) - 1.0)),
      .batch_count = batches.size(),
      .batch_correlation = interval->correlation,
      .ci95_low_bytes_per_second = interval->mean - interval->half_width,
      .ci95_high_bytes_per_second = interval->mean + interval->half_width};
}

std::optional<Bandwidth> BandwidthOf(const Measurement& measurement) {
  if (!(measurement.window_seconds > 0.0)) return std::nullopt;
  const auto messages = static_cast<double>(measurement.messages);
  const auto bytes = static_cast<double>(measurement.bytes);
  // Where there are no messages, there are no intervals to multiply with it either.
  const double bytes_per_message = measurement.messages == 0 ? 0.0 : bytes / messages;
  return Bandwidth{
      .bytes_per_second = bytes / measurement.window_seconds,
      .messages_per_second = messages / measurement.window_seconds,
      .spread = Summarize(EqualIntervals(measurement), Batches(measurement), bytes_per_message)};
}

}  // namespace rdmabench::report
