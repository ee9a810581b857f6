// Checks of what ports and interfaces have counted. docs/method.md says what each means.
#pragma once

#include <optional>

#include "bench/check_input.h"
#include "report/report.h"

namespace rdmabench {

// Absent where no port counts packets, or it cannot be told how many were needed.
std::optional<report::Check> PortsCountThePackets(const CheckInput& input);
// Absent where no counter is known.
std::optional<report::Check> NoErrorsCounted(const CheckInput& input);
std::optional<report::Check> NoCongestionCounted(const CheckInput& input);

}  // namespace rdmabench
