// At which rates a size is measured, one after the other: those of a list (--rate-sweep), or those
// that find the highest one at which a latency objective holds (--slo).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bench/plan.h"
#include "bench/side_run.h"

namespace rdmabench {

// Whether so many of all messages, those that were lost included, had their answer in time. Never
// in a saturated run.
bool Holds(const SideRun& initiator, double percentile, std::uint64_t most_ns);

// An objective is looked for by bisection: within the list, or else from the lowest rate at which
// the percentile can be told, fourfold until it does not hold, and then until the rate is known to
// 5 %. Of any list at most kMostProbes rates are measured.
class RateSearch {
 public:
  static constexpr std::size_t kMostProbes = 20;

  // Of a plan with a list or an objective.
  explicit RateSearch(const RunOptions& run, std::uint32_t queue_pairs);

  // Messages a second; absent: there is nothing more to measure.
  std::optional<double> Next() const;
  // What came of the rate that Next() gave.
  void Take(const SideRun& initiator);

  std::size_t probes() const { return probes_; }
  std::optional<double> highest_held() const { return held_; }
  std::optional<double> lowest_failed() const { return failed_; }

 private:
  std::optional<double> NextOfList() const;
  std::optional<double> NextOfAll() const;

  const RunOptions& run_;
  std::vector<double> list_;  // with an objective: ascending
  double start_ = 0.0;        // without a list
  std::size_t probes_ = 0;
  std::optional<double> held_;
  std::optional<double> failed_;
};

}  // namespace rdmabench
