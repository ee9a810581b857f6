// For tests: real TCP connections of this process with itself, and the far end of a session by
// hand.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "transport/deadline.h"
#include "transport/socket.h"

namespace rdmabench {

// How long a test waits for what has to happen. Reached only when the test fails.
inline constexpr std::chrono::seconds kTestPatience{20};

struct ConnectedPair {
  Connection dialled;
  Connection accepted;
};
ConnectedPair Connect();

// Both throw Error(kRun) when the time is over.
void SendAll(Connection& connection, std::string_view bytes);
// The next frame that is no heartbeat; none when the other side has closed.
std::optional<std::pair<std::string, nlohmann::json>> ReadFrame(Connection& connection);

}  // namespace rdmabench
