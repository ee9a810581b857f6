// What a side is doing: a heartbeat tells it, so that the other side can say of a peer that is gone
// or stuck what it did last.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "transport/deadline.h"

namespace rdmabench {

struct Activity {
  std::string step = {};                       // "running"; empty: not told
  std::optional<std::uint64_t> messages = {};  // completed in this step, where it moves any
};

// The body of a heartbeat.
nlohmann::json ActivityToJson(const Activity& activity);
// Throws Error(kRun).
Activity ActivityFromJson(const nlohmann::json& body);

// "last heard 1.6 s ago, while running (12345 messages)".
std::string LastHeard(Deadline::duration ago, const Activity& activity);

}  // namespace rdmabench
