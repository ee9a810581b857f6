#include "report/repetition.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "report/percentile.h"

namespace rdmabench::report {
namespace {

constexpr double kLeastCoverage = 0.95;

struct Figure {
  std::string_view metric;
  std::optional<double> (*of)(const Result& result);
};

std::optional<double> PercentileOf(const Result& result, double percent) {
  const Percentile* found = result.latency ? FindPercentile(*result.latency, percent) : nullptr;
  return found != nullptr ? found->ns : std::nullopt;
}

constexpr Figure kFigures[] = {
    {"bandwidth.bytes_per_second",
     [](const Result& r) {
       return r.bandwidth ? std::optional(r.bandwidth->bytes_per_second) : std::nullopt;
     }},
    {"latency.p50_ns", [](const Result& r) { return PercentileOf(r, 50.0); }},
    {"latency.p99_ns", [](const Result& r) { return PercentileOf(r, 99.0); }},
};

using Indexes = std::vector<std::size_t>;

// The complete runs of each test and size, in the order in which they come first.
std::vector<Indexes> Groups(const std::vector<Result>& results) {
  std::vector<Indexes> groups;
  std::map<std::pair<std::size_t, std::uint64_t>, std::size_t> known;
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results[i];
    if (!result.run || !result.complete) continue;
    const auto [place, is_new] =
        known.try_emplace({result.plan_index, result.message_bytes}, groups.size());
    if (is_new) groups.emplace_back();
    groups[place->second].push_back(i);
  }
  return groups;
}

// Absent when not every run has the figure.
std::optional<std::vector<double>> Sorted(const std::vector<Result>& results,
                                          const Indexes& indexes, const Figure& figure) {
  std::vector<double> values;
  for (const std::size_t index : indexes) {
    const std::optional<double> value = figure.of(results[index]);
    if (!value) return std::nullopt;
    values.push_back(*value);
  }
  std::sort(values.begin(), values.end());
  return values;
}

double MedianOf(const std::vector<double>& sorted) {
  const std::size_t upper = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[upper] : (sorted[upper - 1] + sorted[upper]) / 2.0;
}

}  // namespace

std::optional<MedianRank> MedianRankOf(std::size_t runs) {
  const auto count = static_cast<double>(runs);
  std::optional<MedianRank> best;
  double chance = std::ldexp(1.0, -static_cast<int>(runs));  // of just as many below the median
  double below = 0.0;                                        // of fewer than `rank`
  for (std::size_t rank = 1; 2 * rank <= runs; ++rank) {
    below += chance;
    chance *= (count - static_cast<double>(rank) + 1.0) / static_cast<double>(rank);
    const double coverage = 1.0 - 2.0 * below;
    if (coverage < kLeastCoverage) break;
    best = {rank, coverage};
  }
  return best;
}

std::vector<Repetition> RepetitionsOf(const std::vector<Result>& results) {
  std::vector<Repetition> repetitions;
  for (const Indexes& indexes : Groups(results)) {
    if (indexes.size() < 2) continue;
    for (const Figure& figure : kFigures) {
      const std::optional<std::vector<double>> values = Sorted(results, indexes, figure);
      if (!values) continue;
      const Result& first = results[indexes.front()];
      Repetition& repetition = repetitions.emplace_back();
      repetition.plan_index = first.plan_index;
      repetition.test = first.test;
      repetition.message_bytes = first.message_bytes;
      repetition.metric = figure.metric;
      repetition.median = MedianOf(*values);
      repetition.min = values->front();
      repetition.max = values->back();
      repetition.results = indexes;
      if (const std::optional<MedianRank> rank = MedianRankOf(values->size())) {
        repetition.interval = {.low = (*values)[rank->rank - 1],
                               .high = (*values)[values->size() - rank->rank],
                               .coverage = rank->coverage};
      }
    }
  }
  return repetitions;
}

}  // namespace rdmabench::report
