// Where a host's threads and memory were, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/host.h"

namespace rdmabench::report {

nlohmann::ordered_json PlacementJson(const Placement& placement);

}  // namespace rdmabench::report
