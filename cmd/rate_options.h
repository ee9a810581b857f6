// Options that say when messages are sent.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "bench/plan.h"

namespace CLI {
class App;
}

namespace rdmabench {

void AddRateOptions(CLI::App& app, RunOptions& run);

// "1Kpps,2Kpps" or "1Kpps:10Kpps:1Kpps", whose end need not be hit: whole messages a second, in the
// order given. Throws Error(kUsage) that begins with the option's name.
std::vector<std::uint64_t> ParseRateSweep(std::string_view option, std::string_view text);

// "p99.9=50us"
struct Objective {
  double percentile = 0.0;
  std::uint64_t most_ns = 0;
};
Objective ParseObjective(std::string_view option, std::string_view text);

}  // namespace rdmabench
