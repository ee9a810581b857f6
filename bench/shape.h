// The defaults that depend on the message size: depth, signalling and memory, decided once for both
// sides.
#pragma once

#include <cstdint>

#include "bench/plan.h"
#include "bench/ring.h"

namespace rdmabench {

// A queue pair has at most this many bytes in flight where --tx-depth is not given.
inline constexpr std::uint64_t kMostBytesInFlight = std::uint64_t{16} << 20;
// A worker has at most this many bytes of message slots.
inline constexpr std::uint64_t kMostSlotBytes = std::uint64_t{64} << 20;

// How a size is posted on a queue pair that may hold `most_depth` requests. Throws Error(kUsage)
// when what was asked for cannot be met, naming the options.
RingShape ShapeFor(const TestPlan& test, std::uint64_t message_bytes, std::uint32_t most_depth);

// Warm-up messages per queue pair at most: 1,000 over all queue pairs, but a full window each.
std::uint64_t WarmupMessages(const RingShape& shape, std::uint32_t queue_pairs);

// The slots of one worker.
SlotLayout LayoutFor(const RingShape& shape, std::uint32_t queue_pairs);
// Slots and requests of one worker.
std::uint64_t FootprintOf(const RingShape& shape, std::uint32_t queue_pairs);

}  // namespace rdmabench
