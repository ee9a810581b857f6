// The requests of one queue pair, made once per message size: the engine posts chains and never
// looks inside.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bench/op.h"
#include "bench/slots.h"
#include "transport/qp_type.h"

namespace rdmabench {

// How requests are cut into posts and completions.
struct RingShape {
  std::uint32_t message_bytes = 0;
  std::uint32_t window = 1;        // requests of a queue pair in flight at most
  std::uint32_t post_list = 1;     // requests a post
  std::uint32_t signal_every = 1;  // requests a completion
  bool one_slot = false;           // all requests of a queue pair share one slot
  bool own_slots = false;          // no two requests share one, however many there are
  SlotRules rules = {};

  bool operator==(const RingShape&) const = default;
  // Messages after which posts and completions end together: counts are whole multiples of it.
  std::uint64_t Unit() const;
  // Requests in the ring: the first multiple of Unit(), and of the slots to go through, that is not
  // below the window.
  std::uint32_t Length() const;
  // Message slots of a queue pair.
  std::uint32_t Slots() const;
  // A count of messages, rounded up to whole units.
  std::uint64_t WholeUnits(std::uint64_t messages) const;
  // Whether a full window always contains a signalled request, so that the queue cannot lock up,
  // and the ring is of sane length.
  bool Drains() const;
};

// Memory of one side, as a request names it.
struct SlotMemory {
  std::uint64_t addr = 0;
  std::uint32_t key = 0;
};

class WorkRing {
 public:
  struct Place {
    std::uint32_t lane = 0;        // becomes wr_id
    std::uint64_t first_slot = 0;  // of the layout
    SlotMemory local{};
    Target target{};  // addr is the base of the peer's slots
    bool inline_data = false;
  };

  WorkRing(const RingShape& shape, const SlotLayout& layout, const Place& place, const Op& op,
           const QpType& type);
  WorkRing(WorkRing&&) = default;
  WorkRing& operator=(WorkRing&&) = default;

  std::span<ibv_send_wr> requests() { return requests_; }

 private:
  std::vector<ibv_sge> pieces_;
  std::vector<ibv_send_wr> requests_;  // chained; points into pieces_
};

// One queue pair of an engine, and its requests.
struct Lane {
  ibv_qp* qp = nullptr;
  WorkRing ring;
};

}  // namespace rdmabench
