// What makes a measured run fail all the same: limits that the user has set, messages that are not
// what was sent and, when the user asks to be strict, any check that does not hold.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/plan.h"
#include "report/report.h"
#include "transport/error.h"

namespace CLI {
class App;
}

namespace rdmabench {

struct LatencyLimit {
  std::string figure;             // "p99"
  std::optional<double> percent;  // of a percentile
  double most_ns = 0.0;
};

struct Limiting {
  bool strict = false;
  std::optional<double> least_bits_per_second = {};
  std::optional<double> least_messages_per_second = {};
  std::vector<LatencyLimit> most_latency = {};
};

void AddLimitOptions(CLI::App& app, Limiting& limiting);
// Throws Error(kUsage) for a limit that applies to no test of the plan, or of what one does not
// tell.
void CheckLimits(const Limiting& limiting, const Plan& plan);

// Adds a check for each limit to each complete result to which it applies.
void ApplyLimits(const Limiting& limiting, report::Report& report);
// "write_bw at 64 B: limit_bw: below the limit (…)" for each check that does not hold.
std::vector<std::string> Violations(const report::Report& report);
// Those by which the run failed: a limit, a message that is not what was sent, or with `strict` any
// check.
std::vector<std::string> Failures(const Limiting& limiting, const report::Report& report);
// What is said of such a run, with at least one failure. `quiet`: no warning has named any, so the
// error does.
Error VerdictOf(const std::vector<std::string>& failures, bool quiet);

}  // namespace rdmabench
