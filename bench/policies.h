// The choices inside an engine's loop, as types: what a run does not ask for costs nothing.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>

namespace rdmabench {

// Stamp: what changes in a request each time its slot is used.
struct Unstamped {
  void operator()(ibv_send_wr* /*chain*/, std::uint64_t /*message*/) const {}
};

// Pace: when a message may be posted. kScheduled: also without a completion that makes room.
struct Unpaced {
  static constexpr bool kScheduled = false;
  static constexpr bool MayPost(std::uint64_t /*message*/) { return true; }
};

// Probe: what is noted of single messages.
struct Unprobed {
  void Posted(std::uint64_t /*message*/) const {}
  void Completed(std::uint64_t /*messages*/) const {}
};

// Wait: what a driver does between two polls.
struct BusyPoll {
  void operator()() const {}
};

}  // namespace rdmabench
