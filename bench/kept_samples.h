// Single round trips: the logs of a side's workers, and the way of what the server has kept to the
// client, in frames of a bounded size, each when the client has taken the one before.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/plan.h"
#include "bench/sample_log.h"
#include "transport/session.h"

namespace rdmabench {

// One of each worker, with an equal share of the room, of which it takes what it can need for so
// many messages a queue pair. None without any room.
std::vector<SampleLog> MakeLogs(std::uint64_t room, const QueueOptions& queue,
                                std::uint64_t messages);

struct KeptTransfer {
  std::size_t frame = std::size_t{1} << 18;  // samples
  std::chrono::milliseconds patience{60'000};
};

void SendKept(Session& session, std::span<const std::uint64_t> ticks,
              const KeptTransfer& transfer = {});
// Throws Error(kRun) for more than `most`, beside what Session throws.
std::vector<std::uint64_t> FetchKept(Session& session, std::uint64_t most,
                                     const KeptTransfer& transfer = {});

}  // namespace rdmabench
