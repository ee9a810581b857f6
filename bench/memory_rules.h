// What a plan may not ask of its message memory.
#pragma once

#include "bench/plan.h"

namespace rdmabench {

// Throws Error(kUsage) naming both options that clash.
void ValidateMemory(const TestPlan& test);

}  // namespace rdmabench
