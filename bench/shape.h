// The defaults that depend on message size, queue pair type and devices: sizes, depths, signalling
// and memory, decided by one rule on both sides.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/plan.h"
#include "bench/ring.h"

namespace rdmabench {

// A queue pair has at most this many bytes in flight where --tx-depth is not given.
inline constexpr std::uint64_t kMostBytesInFlight = std::uint64_t{16} << 20;
// A worker has at most this many bytes of message slots.
inline constexpr std::uint64_t kMostSlotBytes = std::uint64_t{64} << 20;

// Queue pairs of worker `index`: they are dealt evenly, the first workers get what is left over.
std::uint32_t QueuePairsOf(const QueueOptions& queue, std::uint32_t index);
// The first of them, among the side's.
std::uint32_t FirstQueuePairOf(const QueueOptions& queue, std::uint32_t index);

// The message sizes of a test, resolved. Throws Error(kUsage) for one that the queue pair type
// cannot carry over this MTU.
std::vector<std::uint64_t> SizesFor(const TestPlan& test, std::uint32_t mtu_bytes);

// How a size is posted on a queue pair that may hold `most_depth` requests. Throws Error(kUsage)
// when what was asked for cannot be met, naming the options.
RingShape ShapeFor(const TestPlan& test, std::uint64_t message_bytes, std::uint32_t most_depth);

// How receive requests of one queue, of a queue pair or shared, are posted.
struct ReceiveShape {
  std::uint32_t depth = 1;       // a multiple of chain
  std::uint32_t chain = 1;       // requests a post
  std::uint32_t slot_bytes = 0;  // the largest message and what precedes it; 0: nothing is received
  bool own_slots = false;        // no two requests share one
  SlotRules rules = {};

  bool operator==(const ReceiveShape&) const = default;
  // Requests in the ring, of which `depth` are in the queue: a multiple of chain.
  std::uint32_t Length() const;
  // Of one queue.
  std::uint32_t Slots() const { return rules.slots != 0 ? rules.slots : Length(); }
};

// `most_message`: the largest size. `under_way`: messages of a queue pair in an open loop, at most.
// Throws Error(kEnvironment) for a depth beyond `most_depth`.
ReceiveShape ReceiveShapeFor(const TestPlan& test, std::uint64_t most_message,
                             std::uint32_t most_depth, std::uint32_t under_way = 1);

// The slots that requests of one worker name, on either side.
SlotLayout LayoutFor(const RingShape& shape, std::uint32_t queue_pairs);
// The slots of one worker's receive requests; `queues`: its queue pairs, or 1 where they share one.
SlotLayout LayoutFor(const ReceiveShape& shape, std::uint32_t queues);

}  // namespace rdmabench
