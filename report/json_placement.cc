#include "report/json_placement.h"

#include <nlohmann/json.hpp>

namespace rdmabench::report {

nlohmann::ordered_json PlacementJson(const Placement& placement) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  const auto put = [&json](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  const auto put_list = [&json](const char* key, const std::vector<unsigned>& numbers) {
    if (!numbers.empty()) json[key] = numbers;
  };
  put("device_node", placement.device_node);
  json["worker_cpus"] = placement.worker_cpus;
  put_list("worker_nodes", placement.worker_nodes);
  if (placement.worker_cores > 0) json["worker_cores"] = placement.worker_cores;
  put_list("ran_on_cpus", placement.ran_on_cpus);
  put_list("ran_on_nodes", placement.ran_on_nodes);
  put("session_cpu", placement.session_cpu);
  put("memory_node", placement.memory_node);
  put("pages_on_node", placement.pages_on_node);
  put("distance", placement.distance);
  if (!placement.reason.empty()) json["reason"] = placement.reason;
  return json;
}

}  // namespace rdmabench::report
