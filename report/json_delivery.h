// The JSON of what became of messages that may get lost.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/report.h"

namespace rdmabench::report {

nlohmann::ordered_json DeliveryJson(const Delivery& delivery);

}  // namespace rdmabench::report
