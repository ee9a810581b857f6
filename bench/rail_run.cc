#include "bench/rail_run.h"

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::size_t kMostCounters = 1024;

}  // namespace

json RailRunToJson(const RailRun& run) {
  json object = {{"sent_messages", run.sent_messages},
                 {"received_messages", run.received_messages}};
  PutCounters(run.counters, object);
  return object;
}

RailRun RailRunFromJson(JsonReader reader) {
  RailRun run;
  run.sent_messages = reader.Number("sent_messages", 0, kMost);
  run.received_messages = reader.Number("received_messages", 0, kMost);
  run.counters = ReadCounterDeltas(reader);
  reader.Done();
  return run;
}

void PutCounters(const report::CounterDeltas& counters, json& object) {
  json names = json::array();
  json moves = json::array();
  for (const auto& [name, move] : counters) {
    names.push_back(name);
    moves.push_back(static_cast<std::uint64_t>(move));
  }
  object["counters"] = std::move(names);
  object["counter_moves"] = std::move(moves);
}

report::CounterDeltas ReadCounterDeltas(JsonReader& reader) {
  const std::vector<std::string> names = reader.Texts("counters", kMostCounters);
  const std::vector<std::uint64_t> moves = reader.Numbers("counter_moves", 0, kMost, kMostCounters);
  if (names.size() != moves.size()) {
    throw Error(Blame::kRun, reader.path() + " has lists of " + std::to_string(names.size()) +
                                 " and " + std::to_string(moves.size()) +
                                 " entries that belong together");
  }
  report::CounterDeltas counters;
  for (std::size_t i = 0; i < names.size(); ++i) {
    counters.emplace_back(names[i], static_cast<std::int64_t>(moves[i]));
  }
  return counters;
}

}  // namespace rdmabench
