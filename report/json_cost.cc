#include "report/json_cost.h"

#include <nlohmann/json.hpp>
#include <string>

namespace rdmabench::report {
namespace {

using Json = nlohmann::ordered_json;

Json CostJson(const CpuCost& cost, std::uint64_t messages) {
  Json json = Json::object();
  const auto put_per_message = [&](const std::string& key, double sum) {
    if (messages > 0) json[key + "_per_message"] = sum / static_cast<double>(messages);
  };
  if (cost.workers) {
    json["worker_user_seconds"] = cost.workers->user_seconds;
    json["worker_system_seconds"] = cost.workers->system_seconds;
    put_per_message("worker_seconds", cost.workers->Sum());
  }
  for (const auto& [event, count] : cost.events) put_per_message(event, static_cast<double>(count));
  if (!cost.why_no_events.empty()) json["why_no_events"] = cost.why_no_events;
  json["elapsed_seconds"] = cost.elapsed_seconds;
  json["process_user_seconds"] = cost.process.user_seconds;
  json["process_system_seconds"] = cost.process.system_seconds;
  put_per_message("process_seconds", cost.process.Sum());
  if (cost.host_softirq_seconds) {
    json["host_softirq_seconds"] = *cost.host_softirq_seconds;
    put_per_message("host_softirq_seconds", *cost.host_softirq_seconds);
  }
  return json;
}

}  // namespace

Json CpuJson(const Result& result) {
  Json json = Json::object();
  if (result.cpu.client) json["client"] = CostJson(*result.cpu.client, result.messages);
  if (result.cpu.server) json["server"] = CostJson(*result.cpu.server, result.messages);
  return json;
}

Json BoundsJson(const Bounds& bounds) {
  Json limits = Json::array();
  for (const Bound& bound : bounds.limits) {
    Json& limit = limits.emplace_back(Json{{"name", bound.name}});
    if (bound.bytes_per_second) limit["bytes_per_second"] = *bound.bytes_per_second;
    limit["text"] = bound.text;
  }
  Json json = {{"limits", std::move(limits)}};
  if (bounds.lowest) json["lowest"] = bounds.limits[*bounds.lowest].name;
  if (bounds.achieved_share) json["achieved_share"] = *bounds.achieved_share;
  return json;
}

}  // namespace rdmabench::report
