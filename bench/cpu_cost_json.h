// A side's processor time as it crosses the wire.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"
#include "transport/json_reader.h"

namespace rdmabench {

nlohmann::json CpuCostToJson(const report::CpuCost& cost);
// Checks every field; throws Error(kRun).
report::CpuCost CpuCostFromJson(JsonReader reader);

}  // namespace rdmabench
