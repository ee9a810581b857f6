// What a result cost and what bounds it, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace rdmabench::report {

// Empty where neither side is known.
nlohmann::ordered_json CpuJson(const Result& result);
nlohmann::ordered_json BoundsJson(const Bounds& bounds);

}  // namespace rdmabench::report
