// How a message among several that are under way on a queue pair is told from the others. Where
// answers come in the order of the messages and none is lost (SEND, READ and atomics on rc),
// nothing has to be: see answers.h. Else a message names its slot and a mark, which its echo
// repeats: the mark of a slot's message is never that of the one before, so that late answers, and
// those that come twice, are known.
#pragma once

#include <arpa/inet.h>
#include <infiniband/verbs.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/answers.h"
#include "bench/drive.h"
#include "bench/open_loop.h"
#include "bench/receive_ring.h"

namespace rdmabench {

struct SlotMark {
  std::uint32_t slot = 0;
  std::uint8_t value = 0;
};

// The last byte of `length` at an address.
inline std::uint8_t* LastByte(std::uint64_t addr, std::uint32_t length) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): verbs carry addresses as integers.
  return reinterpret_cast<std::uint8_t*>(addr) + length - 1;
}
// Of the message that the request sends.
inline std::uint8_t& LastByteOf(const ibv_send_wr& request) {
  return *LastByte(request.sg_list->addr, request.sg_list->length);
}
// The one after the last that left in this slot, which is there, also from the run before.
inline std::uint8_t NextMark(const ibv_send_wr& request) {
  return static_cast<std::uint8_t>(LastByteOf(request) + 1);
}

// In the last two bytes of a SEND's payload.
struct InPayload {
  static constexpr bool kNamesSlots = true;
  static SlotMark Arrived(const ReceiveRing& ring, const ibv_wc& completion) {
    if (completion.byte_len < kNameBytes) return {.slot = kMostNamedSlots};
    const std::uint8_t* last = LastByte(ring.front_addr(), completion.byte_len);
    return {.slot = *(last - 1), .value = *last};
  }
  static void Leave(ibv_send_wr& request, SlotMark mark) {
    std::uint8_t& last = LastByteOf(request);
    *(&last - 1) = static_cast<std::uint8_t>(mark.slot);
    last = mark.value;
  }
};

// In the immediate.
struct InImmediate {
  static constexpr bool kNamesSlots = true;
  static SlotMark Arrived(const ReceiveRing& /*ring*/, const ibv_wc& completion) {
    const std::uint32_t name = ntohl(completion.imm_data);
    return {.slot = name >> 8, .value = static_cast<std::uint8_t>(name)};
  }
  static void Leave(ibv_send_wr& request, SlotMark mark) {
    request.imm_data = htonl(mark.slot << 8 | mark.value);
    LastByteOf(request) = mark.value;
  }
};

// WRITE, where each message has a slot of its own in the peer's memory, whose last byte is the
// mark.
class BySlot {
 public:
  using Name = SlotMark;
  static constexpr bool kOwnCompletions = false;
  static constexpr bool kMarks = true;
  static constexpr bool kNamesSlots = true;

  struct Options {
    // The last byte of the first slot that the peer writes, and of the one that is sent.
    std::byte* arriving = nullptr;
    const std::byte* leaving = nullptr;
    std::uint64_t stride = 0;  // between two slots
    std::uint32_t lanes = 1;
    std::uint32_t slots = 1;  // of a lane
    // Messages arrive in the order of the slots, so one slot of a lane is looked at; else all are.
    bool in_order = true;
  };

  // As ByMemory: what arrives next differs from what has left last.
  explicit BySlot(const Options& options)
      : options_(options),
        looks_(options.in_order ? 1 : options.slots),
        next_(options.lanes),
        seen_(std::size_t{options.lanes} * options.slots) {
    for (std::size_t i = 0; i < seen_.size(); ++i) {
      seen_[i] = static_cast<std::uint8_t>(options.leaving[i * options.stride]);
    }
  }

  template <class Channel, class Take>
  bool Collect(Failure& /*failure*/, const Take& take) {
    for (std::uint32_t lane = 0; lane < options_.lanes; ++lane) {
      for (std::uint32_t look = 0; look < looks_; ++look) {
        const std::uint32_t slot = next_[lane] + look;
        const std::size_t index = std::size_t{lane} * options_.slots + slot;
        const std::uint8_t value = Read(index);
        if (value == seen_[index]) continue;
        seen_[index] = value;
        if (options_.in_order) next_[lane] = slot + 1 == options_.slots ? 0 : slot + 1;
        if (!take(lane, SlotMark{slot, value})) return false;
      }
    }
    return true;
  }
  static void Leave(ibv_send_wr& request, SlotMark mark) { LastByteOf(request) = mark.value; }
  ibv_wc_opcode opcode() const { return IBV_WC_RECV; }

 private:
  std::uint8_t Read(std::size_t index) const {
    auto* at = reinterpret_cast<std::uint8_t*>(options_.arriving + index * options_.stride);
    return std::atomic_ref<std::uint8_t>(*at).load(std::memory_order_acquire);
  }

  Options options_;
  std::uint32_t looks_;
  std::vector<std::uint32_t> next_;  // of each lane, where they arrive in order
  std::vector<std::uint8_t> seen_;
};

}  // namespace rdmabench
