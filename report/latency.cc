#include "report/latency.h"

#include "report/percentile.h"

namespace rdmabench::report {
namespace {

// `samples`: their count, which takes a pass over the buckets.
Percentile PercentileOf(const Histogram& round_trips, std::uint64_t samples, double scale,
                        double percent) {
  Percentile percentile{.percent = percent};
  if (!IsBacked(percent, samples)) return percentile;
  const auto ns = [scale](std::uint64_t ticks) { return static_cast<double>(ticks) * scale; };
  percentile.ns = ns(round_trips.AtRank(NearestRank(percent, samples)).middle());
  const std::optional<RankInterval> ranks = Interval95(percent, samples);
  // As wide as the buckets leave open, so that it is not missed for their sake.
  if (ranks) {
    percentile.ci95 = Percentile::Interval{.low_ns = ns(round_trips.AtRank(ranks->low).low),
                                           .high_ns = ns(round_trips.AtRank(ranks->high).high)};
  }
  return percentile;
}

}  // namespace

double NsPerTick(LatencyBasis basis, double ns_per_tick) {
  return basis == LatencyBasis::kHalfRoundTrip ? ns_per_tick / 2.0 : ns_per_tick;
}

std::optional<Latency> LatencyOf(const Histogram& round_trips, double ns_per_tick,
                                 LatencyBasis basis, std::span<const double> percents) {
  const std::uint64_t count = round_trips.count();
  if (count == 0) return std::nullopt;
  const double scale = NsPerTick(basis, ns_per_tick);
  const auto ns = [scale](std::uint64_t ticks) { return static_cast<double>(ticks) * scale; };
  Latency latency;
  latency.basis = basis == LatencyBasis::kHalfRoundTrip ? "half_round_trip" : "round_trip";
  latency.samples = count;
  latency.min_ns = ns(round_trips.min());
  latency.max_ns = ns(round_trips.max());
  latency.mean_ns = ns(round_trips.sum()) / static_cast<double>(count);
  latency.stdev_ns = round_trips.Deviation() * scale;
  for (const double percent : percents) {
    latency.percentiles.push_back(PercentileOf(round_trips, count, scale, percent));
  }
  for (const auto& [bucket, bucket_count] : round_trips.Entries()) {
    latency.histogram.push_back(
        {ns(Histogram::First(bucket)), ns(Histogram::Last(bucket)), bucket_count});
  }
  return latency;
}

}  // namespace rdmabench::report
