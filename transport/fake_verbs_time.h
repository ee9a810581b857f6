// Simulated time for fake verbs: messages take as long as a test says, in no real time and exactly,
// so that what is measured can be held against what is true. One thread drives both ends.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>

namespace rdmabench::fake {

// How long one message takes, in nanoseconds. A device sends one at a time, in the order of their
// posts; those of a queue pair arrive in order, too.
struct Service {
  std::uint64_t wire_ns = 0;    // for which the next message of the device has to wait
  std::uint64_t flight_ns = 0;  // from then on until it has arrived and its request is complete
};

struct Timing {
  // The time, for a TickClock to show; outlives the simulation. It moves on when all queues that
  // are polled have been found empty and nothing was posted: to the next arrival, but …
  std::atomic<std::uint64_t>* now_ns = nullptr;
  // Asked at each post. `message` counts them all from 0, those of both ends, credits included.
  std::function<Service(std::uint64_t message, std::uint64_t bytes)> service = {};
  // … by no more than this at once: how late something comes at most that waits for a time.
  std::uint64_t longest_step_ns = 1'000'000;
  // Called before the time becomes `next_ns`, with all done that was to be done until then. May be
  // empty.
  std::function<void(std::uint64_t next_ns)> moving_on = {};
};

// From now on until the next Reset(). Nothing may be on its way.
void Simulate(const Timing& timing);

}  // namespace rdmabench::fake
