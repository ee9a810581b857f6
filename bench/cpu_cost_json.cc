#include "bench/cpu_cost_json.h"

#include <nlohmann/json.hpp>
#include <string>

#include "transport/cpu_counters.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr double kMostSeconds = 1e12;  // of all processors

json TimeToJson(const report::CpuTime& time) {
  return {{"user_seconds", time.user_seconds}, {"system_seconds", time.system_seconds}};
}

report::CpuTime TimeFromJson(JsonReader reader) {
  report::CpuTime time;
  time.user_seconds = reader.Real("user_seconds", 0.0, kMostSeconds);
  time.system_seconds = reader.Real("system_seconds", 0.0, kMostSeconds);
  reader.Done();
  return time;
}

}  // namespace

json CpuCostToJson(const report::CpuCost& cost) {
  json object = {{"elapsed_seconds", cost.elapsed_seconds}, {"process", TimeToJson(cost.process)}};
  if (cost.workers) object["workers"] = TimeToJson(*cost.workers);
  if (cost.host_softirq_seconds) object["host_softirq_seconds"] = *cost.host_softirq_seconds;
  json events = json::object();
  for (const auto& [name, count] : cost.events) events[name] = count;
  object["events"] = std::move(events);
  if (!cost.why_no_events.empty()) object["why_no_events"] = cost.why_no_events;
  return object;
}

report::CpuCost CpuCostFromJson(JsonReader reader) {
  report::CpuCost cost;
  cost.elapsed_seconds = reader.Real("elapsed_seconds", 0.0, kMostSeconds);
  cost.process = TimeFromJson(reader.Object("process"));
  if (reader.Has("workers")) cost.workers = TimeFromJson(reader.Object("workers"));
  if (reader.Has("host_softirq_seconds")) {
    cost.host_softirq_seconds = reader.Real("host_softirq_seconds", 0.0, kMostSeconds);
  }
  JsonReader events = reader.Object("events");
  for (const CpuEvent& event : CpuEvents()) {
    if (events.Has(event.name)) {
      cost.events.emplace_back(event.name, events.Number(event.name, 0, kMost));
    }
  }
  events.Done();
  if (reader.Has("why_no_events")) cost.why_no_events = reader.Text("why_no_events");
  reader.Done();
  return cost;
}

}  // namespace rdmabench
