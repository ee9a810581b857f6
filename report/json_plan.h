// The plan, which a report has as text, as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace rdmabench::report {

// Null unless the text is a JSON object of a nesting that can be written back without a deep
// recursion.
nlohmann::ordered_json PlanJson(const std::string& text);

}  // namespace rdmabench::report
