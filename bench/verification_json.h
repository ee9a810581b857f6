// What one side found when it looked at messages, as the sides tell each other.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "report/report.h"
#include "transport/json_reader.h"

namespace rdmabench {

nlohmann::json VerificationToJson(const report::Verification& verification);
// Checks every field; throws Error(kRun).
report::Verification VerificationFromJson(JsonReader reader, std::uint32_t queue_pairs);

}  // namespace rdmabench
