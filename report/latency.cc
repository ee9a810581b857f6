#include "report/latency.h"

namespace rdmabench::report {
namespace {

constexpr double kLeastBeyond = 10.0;

struct PercentileRow {
  double share;
  std::optional<double> Latency::*member;
};

constexpr PercentileRow kPercentiles[] = {
    {0.5, &Latency::p50_ns},     {0.9, &Latency::p90_ns},       {0.99, &Latency::p99_ns},
    {0.999, &Latency::p99_9_ns}, {0.9999, &Latency::p99_99_ns},
};

}  // namespace

std::optional<Latency> LatencyOf(const Histogram& round_trips, double ns_per_tick,
                                 LatencyBasis basis) {
  const std::uint64_t count = round_trips.count();
  if (count == 0) return std::nullopt;
  const bool is_half = basis == LatencyBasis::kHalfRoundTrip;
  const double scale = ns_per_tick * (is_half ? 0.5 : 1.0);
  const auto ns = [scale](std::uint64_t ticks) { return static_cast<double>(ticks) * scale; };
  const auto samples = static_cast<double>(count);
  Latency latency;
  latency.basis = is_half ? "half_round_trip" : "round_trip";
  latency.samples = count;
  latency.min_ns = ns(round_trips.min());
  latency.max_ns = ns(round_trips.max());
  latency.mean_ns = ns(round_trips.sum()) / samples;
  latency.stdev_ns = round_trips.Deviation() * scale;
  for (const PercentileRow& row : kPercentiles) {
    // Not 1 - share, which is off by a rounding error just where a whole ten lie beyond.
    if (samples - samples * row.share < kLeastBeyond - 1e-6) continue;
    latency.*row.member = ns(round_trips.Quantile(row.share));
  }
  for (const auto& [bucket, bucket_count] : round_trips.Entries()) {
    latency.histogram.push_back(
        {ns(Histogram::First(bucket)), ns(Histogram::Last(bucket)), bucket_count});
  }
  return latency;
}

}  // namespace rdmabench::report
