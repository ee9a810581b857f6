// Checks of how long and over which window was measured.
#pragma once

#include <optional>

#include "report/report.h"

namespace rdmabench {

// Absent where one direction was measured.
std::optional<report::Check> DirectionsOverlap(const report::Result& result);
// Each sender's rate against the one that a bandwidth test was to keep; absent without one, and in
// a window that is too short to tell.
std::optional<report::Check> RateIsKept(const report::Result& result);
// Absent where the window was not to end by it.
std::optional<report::Check> IntervalIsNarrow(const report::Result& result);

}  // namespace rdmabench
