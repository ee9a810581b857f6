// Checks of how long and over which window was measured.
#pragma once

#include <optional>

#include "report/report.h"

namespace rdmabench {

// Absent where one direction was measured.
std::optional<report::Check> DirectionsOverlap(const report::Result& result);
// Absent where the window was not to end by it.
std::optional<report::Check> IntervalIsNarrow(const report::Result& result);

}  // namespace rdmabench
