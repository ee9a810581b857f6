// A host's description on the wire: the server's own, for the client's report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace rdmabench {

nlohmann::json HostToJson(const report::Host& host);
// Checks every field; throws Error(kRun).
report::Host HostFromJson(const nlohmann::json& json);

}  // namespace rdmabench
