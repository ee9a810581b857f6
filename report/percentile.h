// Percentiles by nearest rank, and what is known of them: names, ranks, and 95 % intervals.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

// Of the samples, in percent: above 0 and below 100, in steps of kFinestPercent, which make the
// rank exact.
inline constexpr double kFinestPercent = 1e-7;
inline constexpr std::array kDefaultPercents = {50.0, 90.0, 99.0, 99.9, 99.99};

// Samples that have to lie beyond a percentile: with fewer it is the luck of a few.
inline constexpr std::uint64_t kFewestBeyond = 10;

bool IsPercentile(double percent);
// "p99.9"
std::string PercentileName(double percent);
// Null where the latency has no such percentile, known or not.
const Percentile* FindPercentile(const Latency& latency, double percent);

// The smallest rank that at least `percent` of the samples do not exceed: from 1 to `samples`.
std::uint64_t NearestRank(double percent, std::uint64_t samples);
// Whether kFewestBeyond samples lie beyond: above the rank, and of a percentile below the median,
// at it or below.
bool IsBacked(double percent, std::uint64_t samples);

struct RankInterval {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};
// The ranks between which the percentile of what the samples were drawn from lies, in at least 95 %
// of all cases and as little more as ranks allow: each end is missed in at most 2.5 %. For
// independent samples of any distribution. Absent where a rank would lie outside of the samples.
std::optional<RankInterval> Interval95(double percent, std::uint64_t samples);

}  // namespace rdmabench::report
