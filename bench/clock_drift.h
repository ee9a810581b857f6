// What is known of how steadily a host's clock runs.
#pragma once

#include <optional>

#include "report/report.h"

namespace rdmabench {

// Of the drifts in its windows the host's clock has the one that is furthest from 0.
void NoteDrift(std::optional<double> drift_ppm, report::Host& host);

}  // namespace rdmabench
