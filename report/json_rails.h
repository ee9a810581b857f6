// What went over each of several devices, as JSON; and what it shares with the whole.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace rdmabench::report {

nlohmann::ordered_json GidJson(const Gid& gid);
nlohmann::ordered_json CountersJson(const Counters& counters);
nlohmann::ordered_json RailJson(const Rail& rail);

}  // namespace rdmabench::report
