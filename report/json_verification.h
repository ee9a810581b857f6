// The part of the JSON report about verified messages.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace rdmabench::report {

nlohmann::ordered_json VerificationJson(const Verification& verification);

}  // namespace rdmabench::report
