// The part of the JSON document that says why something failed.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "report/failure.h"

namespace rdmabench::report {

nlohmann::ordered_json FailureJson(const Failure& failure);
nlohmann::ordered_json TestFailureJson(const TestFailure& failure);

}  // namespace rdmabench::report
