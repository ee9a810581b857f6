// How a latency test sees that a message has arrived: by the completion of its own request, by a
// receive request that was used, or by memory that has changed. Ping and Echo are made with one of
// these.
#pragma once

#include <infiniband/verbs.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/drive.h"
#include "bench/poll.h"
#include "bench/receive_ring.h"

namespace rdmabench {

// The initiator's own completions: READ and atomics.
struct ByCompletion {
  static constexpr bool kOwnCompletions = true;
  static constexpr bool kMarks = false;
  static constexpr bool kNamesSlots = false;

  // Completions of requests are what Ping reaps anyway.
  template <class Channel, class Take>
  bool Collect(Failure& /*failure*/, const Take& /*take*/) {
    return true;
  }
  ibv_wc_opcode opcode() const { return IBV_WC_RECV; }
};

// A message that says no more than that it has come.
struct Unnamed {
  static constexpr bool kNamesSlots = false;
  static std::uint8_t Arrived(const ReceiveRing& /*ring*/, const ibv_wc& /*completion*/) {
    return 0;
  }
};

// Receive requests: SEND, and WRITE with immediate. `Naming`: what messages say of themselves.
template <class Naming>
class ByReceiveOf {
 public:
  // What Collect() tells of a message beside its lane.
  using Name = decltype(Naming::Arrived(std::declval<ReceiveRing&>(), ibv_wc{}));
  static constexpr bool kOwnCompletions = false;
  static constexpr bool kMarks = false;
  static constexpr bool kNamesSlots = Naming::kNamesSlots;

  // wr_id of a receive request is its lane.
  ByReceiveOf(std::span<ReceiveRing> rings, std::vector<ibv_cq*> cqs)
      : rings_(rings), cqs_(std::move(cqs)) {}

  // Calls `take` with each lane that a message has come for; false: failed, or take() was.
  template <class Channel, class Take>
  bool Collect(Failure& failure, const Take& take) {
    return PollEach<Channel>(cqs_, completions_, failure, [&](const ibv_wc& completion) {
      const auto lane = static_cast<std::uint32_t>(completion.wr_id);
      ReceiveRing& ring = rings_[lane];
      if (!take(lane, Naming::Arrived(ring, completion))) return false;
      bytes_ += completion.byte_len;
      const int code = ring.Took() ? ring.Repost() : 0;
      if (code == 0) [[likely]]
        return true;
      failure = {.what = Failure::What::kReceive, .code = code, .qpn = completion.qp_num};
      return false;
    });
  }
  void Mark(std::uint32_t /*lane*/, std::uint8_t /*value*/) {}
  // Where messages have names.
  static void Leave(ibv_send_wr& request, Name name) { Naming::Leave(request, name); }
  ibv_wc_opcode opcode() const { return completions_[0].opcode; }
  std::uint64_t bytes() const { return bytes_; }

 private:
  std::span<ReceiveRing> rings_;
  std::vector<ibv_cq*> cqs_;
  CompletionBatch completions_{};
  std::uint64_t bytes_ = 0;
};
using ByReceive = ByReceiveOf<Unnamed>;

// The last byte of a slot, which the peer's device writes last: WRITE. The sender puts a mark
// there, never the one before.
class ByMemory {
 public:
  using Name = std::uint8_t;
  static constexpr bool kOwnCompletions = false;
  static constexpr bool kMarks = true;
  static constexpr bool kNamesSlots = false;

  // The last byte of a lane's slot that the peer writes, and of the one that is sent.
  struct Slot {
    std::byte* arriving;
    std::byte* leaving;
  };

  // What arrives next differs from what has left last: an echo has answered with the mark it saw, a
  // ping has sent it. The memory itself cannot be asked, the peer may have begun already.
  explicit ByMemory(const std::vector<Slot>& slots) {
    slots_.reserve(slots.size());
    for (const Slot& slot : slots) {
      slots_.push_back({Byte(slot.arriving), Byte(slot.leaving), Read(Byte(slot.leaving))});
    }
  }

  template <class Channel, class Take>
  bool Collect(Failure& /*failure*/, const Take& take) {
    for (std::uint32_t lane = 0; lane < slots_.size(); ++lane) {
      State& slot = slots_[lane];
      const std::uint8_t value = Read(slot.arriving);
      if (value == slot.seen) continue;
      slot.seen = value;
      if (!take(lane, value)) return false;
    }
    return true;
  }
  // The one after the last that left, so that neither side takes it for what it has seen already.
  std::uint8_t NextMark(std::uint32_t lane) {
    const auto mark = static_cast<std::uint8_t>(Read(slots_[lane].leaving) + 1);
    Mark(lane, mark);
    return mark;
  }
  void Mark(std::uint32_t lane, std::uint8_t value) {
    std::atomic_ref<std::uint8_t>(*slots_[lane].leaving).store(value, std::memory_order_release);
  }
  ibv_wc_opcode opcode() const { return IBV_WC_RECV; }

 private:
  struct State {
    std::uint8_t* arriving;
    std::uint8_t* leaving;
    std::uint8_t seen;
  };

  static std::uint8_t* Byte(std::byte* at) { return reinterpret_cast<std::uint8_t*>(at); }
  static std::uint8_t Read(std::uint8_t* at) {
    return std::atomic_ref<std::uint8_t>(*at).load(std::memory_order_acquire);
  }

  std::vector<State> slots_;
};

}  // namespace rdmabench
