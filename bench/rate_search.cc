#include "bench/rate_search.h"

#include <algorithm>
#include <cmath>

#include "bench/open_loop.h"
#include "bench/open_result.h"
#include "report/percentile.h"

namespace rdmabench {
namespace {

// Where nothing bounds the rates.
constexpr double kFirstRate = 1000.0;
constexpr double kGrowth = 4.0;
constexpr double kPrecision = 1.05;

}  // namespace

bool Holds(const SideRun& initiator, double percentile, std::uint64_t most_ns) {
  if (!initiator.open_loop || !initiator.round_trips || IsSaturated(initiator)) return false;
  const RoundTrips& responses = *initiator.round_trips;
  const std::uint64_t answered = responses.histogram.count();
  const std::uint64_t all = answered + responses.lost;
  const std::uint64_t rank = report::NearestRank(percentile, all);
  if (all - rank < report::kFewestBeyond || rank > answered) return false;
  const auto ticks = static_cast<double>(responses.histogram.AtRank(rank).middle());
  return ticks * responses.ns_per_tick <= static_cast<double>(most_ns);
}

RateSearch::RateSearch(const RunOptions& run, std::uint32_t queue_pairs)
    : run_(run), list_(run.rate_sweep.begin(), run.rate_sweep.end()) {
  if (!run.slo_percentile) return;
  std::sort(list_.begin(), list_.end());
  start_ = kFirstRate;
  if (run.iterations || !list_.empty()) return;
  const double seconds = static_cast<double>(run.duration_ms) * 1e-3;
  start_ = std::max({start_, std::ceil(SamplesFor(*run.slo_percentile) / seconds),
                     static_cast<double>(queue_pairs)});
}

std::optional<double> RateSearch::Next() const {
  if (!run_.slo_percentile) {
    return probes_ < list_.size() ? std::optional(list_[probes_]) : std::nullopt;
  }
  if (probes_ == kMostProbes) return std::nullopt;
  return list_.empty() ? NextOfAll() : NextOfList();
}

void RateSearch::Take(const SideRun& initiator) {
  if (run_.slo_percentile) {
    const double rate = *Next();
    (Holds(initiator, *run_.slo_percentile, *run_.slo_ns) ? held_ : failed_) = rate;
  }
  ++probes_;
}

// The ends first: they say whether the answer is within.
std::optional<double> RateSearch::NextOfList() const {
  if (!held_ && !failed_) return list_.front();
  if (!held_) return std::nullopt;
  if (!failed_) {
    return *held_ == list_.back() ? std::nullopt : std::optional(list_.back());
  }
  const auto above = std::upper_bound(list_.begin(), list_.end(), *held_);
  const auto below = std::lower_bound(above, list_.end(), *failed_);
  return above == below ? std::nullopt : std::optional(*(above + (below - above) / 2));
}

std::optional<double> RateSearch::NextOfAll() const {
  constexpr auto kMost = static_cast<double>(kRateMessages.high);
  if (!held_ && !failed_) return start_;
  if (!held_) return std::nullopt;
  if (!failed_)
    return *held_ == kMost ? std::nullopt : std::optional(std::min(*held_ * kGrowth, kMost));
  if (*failed_ <= *held_ * kPrecision) return std::nullopt;
  return std::round(std::sqrt(*held_ * *failed_));
}

}  // namespace rdmabench
