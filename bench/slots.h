// Where the messages of a worker lie, and in what order its requests go through them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/memory_options.h"

namespace rdmabench {

struct SlotRules {
  std::uint32_t align = 64;  // of slots: a power of two; the default is a cache line
  std::uint32_t offset = 0;  // of the message in its slot
  std::uint32_t slots = 0;   // that the requests of one queue go through; 0: one each
  // From one slot to the next; 0: as near as they go.
  std::uint64_t stride = 0;
  bool random = false;  // not in the order in which they lie

  bool operator==(const SlotRules&) const = default;
  std::uint64_t LeastStride(std::uint64_t message_bytes) const;
  // Requests of a ring that has whole units, not fewer requests than `least`, and where there are
  // slots to go through, each of them as often as any other.
  std::uint64_t RingLength(std::uint64_t least, std::uint64_t unit) const;
};

// Slots of one side that its requests are prepared for, a queue and in all: beyond it slots lie
// further apart. A request has 144 bytes with its piece.
inline constexpr std::uint32_t kMostSlotsOfQueue = 65536;
inline constexpr std::uint64_t kMostSlotsOfSide = std::uint64_t{1} << 20;

// The requests of one queue, for which rules are made.
struct SlotUse {
  std::uint64_t message_bytes = 0;
  std::uint32_t queues = 1;  // of the side
  std::uint32_t unit = 1;    // the ring has a multiple of so many requests
};
// Throws Error(kUsage) for a working set in which a queue has no slot.
SlotRules RulesFor(const MemoryOptions& memory, const SlotUse& use);
// Whether the plan says how slots are gone through.
bool HasAccess(const MemoryOptions& memory);

inline constexpr std::string_view kSequential = "sequential";
inline constexpr std::string_view kRandom = "random";
inline constexpr std::string_view kSame = "same";
// "sequential, random, same"
std::string AccessNames();
bool IsAccess(std::string_view name);

// Where the messages of all queue pairs of a worker lie, the same on both sides. Slots alias when
// all of them would be more than `most_bytes`.
struct SlotLayout {
  SlotLayout(std::uint32_t message_bytes, std::uint64_t slots_wanted, std::uint64_t most_bytes,
             const SlotRules& rules = {});
  // Of the message in it.
  std::uint64_t Offset(std::uint64_t slot) const { return slot % slots * stride + offset; }
  std::uint64_t Bytes() const { return slots * stride; }

  std::uint64_t stride;
  std::uint64_t slots;
  std::uint64_t offset;
};

// The slot of each of `count` requests in turn. `seed` is that of a random order.
std::vector<std::uint32_t> SlotOrder(const SlotRules& rules, std::uint32_t count,
                                     std::uint64_t seed);

}  // namespace rdmabench
