// What a report says of how long, how often and over which window was measured, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/repetition.h"
#include "report/report.h"

namespace rdmabench::report {

nlohmann::ordered_json ClockOffsetJson(const ClockOffset& offset);
nlohmann::ordered_json SharedWindowJson(const SharedWindow& window);
nlohmann::ordered_json UntilJson(const Until& until);
nlohmann::ordered_json RepetitionJson(const Repetition& repetition);

}  // namespace rdmabench::report
