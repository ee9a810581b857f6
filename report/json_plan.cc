#include "report/json_plan.h"

#include <nlohmann/json.hpp>

namespace rdmabench::report {

using Json = nlohmann::ordered_json;

Json PlanJson(const std::string& text) {
  constexpr int kDeepest = 32;
  bool too_deep = false;
  const auto watch_depth = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kDeepest;
    return !too_deep;
  };
  Json plan = Json::parse(text, watch_depth, /*allow_exceptions=*/false);
  return plan.is_object() && !too_deep ? plan : Json();
}

}  // namespace rdmabench::report
