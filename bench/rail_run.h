// What went over one of several devices of a side, and its form on the session.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>

#include "report/report.h"
#include "transport/json_reader.h"

namespace rdmabench {

struct RailRun {
  std::uint64_t sent_messages = 0;
  std::uint64_t received_messages = 0;
  report::CounterDeltas counters = {};  // of its port and interface, around the window

  bool operator==(const RailRun&) const = default;
};

nlohmann::json RailRunToJson(const RailRun& run);
// Checks every field; throws Error(kRun).
RailRun RailRunFromJson(JsonReader reader);

// Two keys of an object: names and moves.
void PutCounters(const report::CounterDeltas& counters, nlohmann::json& object);
report::CounterDeltas ReadCounterDeltas(JsonReader& reader);

}  // namespace rdmabench
