// How a rate varied within its window: from counts sampled over time to equal intervals and their
// statistics.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/report.h"

namespace rdmabench::report {

// How many messages were complete at a moment, counted and timed from the opening of the window.
struct ProgressSample {
  double seconds = 0.0;
  std::uint64_t messages = 0;
};

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

// Absent for fewer than two intervals.
std::optional<Spread> Summarize(std::span<const Interval> intervals, double bytes_per_message);

// messages / window and bytes / window, with the spread over EqualIntervals() where there are any.
// Absent when the window has no length.
std::optional<Bandwidth> BandwidthOf(const Measurement& measurement);

// The two-sided 95 % quantile of Student's t. For at least one degree of freedom.
double StudentT95(std::size_t degrees_of_freedom);

}  // namespace rdmabench::report
