// Runs a Stream over an endpoint's queue pairs: makes the rings, then drives.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "bench/clock.h"
#include "bench/drive.h"
#include "bench/op.h"
#include "bench/ring.h"
#include "transport/endpoint.h"

namespace rdmabench {

struct StreamJob {
  const Op* op = nullptr;
  const QpType* type = nullptr;
  RingShape shape;
  std::uint64_t messages = 0;                     // per queue pair
  std::uint64_t at_least = 0;                     // per queue pair, also when told to finish
  std::optional<std::uint32_t> most_inline = {};  // bytes; absent: as many as the queue pair grants
};

struct StreamRun {
  LoopResult loop;
  std::uint64_t messages = 0;
  std::vector<std::uint64_t> messages_per_queue_pair;
};

// Whether messages of this shape travel inside their requests.
bool UsesInline(const Endpoint& endpoint, const StreamJob& job);

// Calls `opening` once, when all is made and just before the window opens.
StreamRun RunStream(const Endpoint& endpoint, const StreamJob& job, const TickClock& clock,
                    const StopFlags& stop, std::atomic<std::uint64_t>& progress,
                    const std::function<void()>& opening);

}  // namespace rdmabench
