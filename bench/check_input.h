// What the checks of a result look at.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "report/report.h"

namespace rdmabench {

// The client comes before the server, as in a report's hosts.
struct CheckInput {
  const report::Result& result;
  std::span<const report::Host> hosts;
  std::array<std::optional<double>, 2> clock_drift_ppm = {};
};

}  // namespace rdmabench
