// The memory of a result's messages, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace rdmabench::report {

// Empty where neither side is known.
nlohmann::ordered_json MemoriesJson(const Memories& memories);

}  // namespace rdmabench::report
