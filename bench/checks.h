// Holds what one source says of a result against what another says of the same. docs/method.md has
// the list.
#pragma once

#include <vector>

#include "bench/check_input.h"
#include "report/report.h"

namespace rdmabench {

// In the order of the list, those for which both sources are there; none for a result that was
// broken off.
std::vector<report::Check> ChecksOf(const CheckInput& input);

}  // namespace rdmabench
