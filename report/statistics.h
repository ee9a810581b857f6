// How a rate varied within its window: from counts sampled over time to equal intervals and their
// statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/progress_curve.h"
#include "report/report.h"

namespace rdmabench::report {

// What makes an interval long enough to say something. Counts move by whole signalling groups, so
// that an interval of `minimum_groups` at the mean rate is right to 1 %; a stall, which has fewer,
// is a finding and stays in.
struct IntervalRules {
  std::uint64_t signal_every = 1;
  std::uint64_t minimum_groups = 100;
  double minimum_seconds = 0.1;
  std::size_t minimum_intervals = 10;
  std::size_t maximum_intervals = 1000;  // a run of hours still makes a report of sane size
};

// One window: what was moved in it, and how it went. `samples` are in order of time and need not
// include the ends; those outside the window are ignored. Sample at least twice as often as
// rules.minimum_seconds: an interval is never shorter than the longest gap between two samples.
struct Measurement {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double window_seconds = 0.0;
  std::span<const ProgressSample> samples = {};
  IntervalRules rules = {};
};

// The window cut into equal intervals whose messages add up to all of it. Empty when the rules
// allow too few.
std::vector<Interval> EqualIntervals(const Measurement& measurement);

// The same for batch means: at most kMostBatches.
std::vector<Interval> Batches(const Measurement& measurement);

// Extremes and deviation of the intervals' rates, and the interval of their mean from batches of
// the same window. Absent for fewer than two of either.
std::optional<Spread> Summarize(std::span<const Interval> intervals,
                                std::span<const Interval> batches, double bytes_per_message);

// messages / window and bytes / window, with the spread over EqualIntervals() where there are any.
// Absent when the window has no length.
std::optional<Bandwidth> BandwidthOf(const Measurement& measurement);

}  // namespace rdmabench::report
