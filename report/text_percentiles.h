// How the text shows the percentiles of one test's results: cells of the table, and a table of
// their intervals.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/report.h"

namespace rdmabench::report {

std::string Microseconds(double ns);

// Those that the test asked for, which its results have alike; empty where it has no latency.
std::vector<double> PercentsIn(std::span<const Result* const> results);
std::string PercentileTitle(double percent);
// "-" where it is not known.
std::string PercentileCell(const Latency& latency, double percent);
// Empty where no percentile has an interval.
std::string PercentileIntervals(std::span<const Result* const> results);

}  // namespace rdmabench::report
