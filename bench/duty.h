// Which side does what in a test: it follows from the test's row, the plan and the side.
#pragma once

#include "bench/plan.h"
#include "bench/test.h"

namespace rdmabench {

enum class Role { kClient, kServer };

struct Duty {
  bool streams = false;  // posts as fast as it may
  bool sinks = false;    // takes what arrives in receive requests
  bool pings = false;    // measures round trips
  bool echoes = false;   // answers them

  bool Initiates() const { return streams || pings; }
  bool Posts() const { return Initiates() || echoes; }
  // Needs to be told how many messages the peer has sent.
  bool Listens() const { return sinks || echoes; }
  bool Moves() const { return Posts() || sinks; }
};

Duty DutyOf(const Test& test, const QueueOptions& queue, Role role);
Role PeerOf(Role role);
// IBV_ODP_SUPPORT_* of the requests that reach memory of the side, its own and its peer's.
std::uint32_t OdpRequests(const Test& test, const QueueOptions& queue, Role role);

// Whether the client's run ends by what only the client knows, and the server's part, if it
// initiates beside the client or answers it, ends then, too.
bool EndsWithClient(const TestPlan& plan);

}  // namespace rdmabench
