#include "bench/ring.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace rdmabench {
namespace {

// Post lists and cadences that have little in common make long units; beyond so many requests it is
// no ring for a cache.
constexpr std::uint64_t kMostRequests = 65536;

}  // namespace

std::uint64_t RingShape::Unit() const {
  return std::lcm(std::uint64_t{post_list}, std::uint64_t{signal_every});
}

std::uint64_t RingShape::WholeUnits(std::uint64_t messages) const {
  return (messages + Unit() - 1) / Unit() * Unit();
}

std::uint32_t RingShape::Length() const {
  return static_cast<std::uint32_t>(rules.RingLength(window, Unit()));
}

std::uint32_t RingShape::Slots() const {
  if (one_slot) return 1;
  return rules.slots != 0 ? rules.slots : Length();
}

bool RingShape::Drains() const {
  // Just before a post up to signal_every - gcd requests may be in flight whose completion cannot
  // have come.
  const std::uint64_t unseen = signal_every - std::gcd(post_list, signal_every);
  return unseen + post_list <= window && WholeUnits(window) <= kMostRequests;
}

WorkRing::WorkRing(const RingShape& shape, const SlotLayout& layout, const Place& place,
                   const Op& op, const QpType& type)
    : pieces_(shape.Length()), requests_(shape.Length()) {
  assert(shape.Drains());
  // Each queue pair of a worker has an order of its own.
  const std::vector<std::uint32_t> order = SlotOrder(shape.rules, shape.Slots(), place.first_slot);
  for (std::uint32_t i = 0; i < requests_.size(); ++i) {
    const std::uint64_t offset = layout.Offset(place.first_slot + order[i % order.size()]);
    pieces_[i] = {
        .addr = place.local.addr + offset, .length = shape.message_bytes, .lkey = place.local.key};
    ibv_send_wr& request = requests_[i];
    request.wr_id = place.lane;
    request.sg_list = &pieces_[i];
    request.num_sge = 1;
    const bool ends_chain = (i + 1) % shape.post_list == 0;
    request.next = ends_chain ? nullptr : &requests_[i + 1];
    const bool signalled = (i + 1) % shape.signal_every == 0;
    request.send_flags = (signalled ? unsigned{IBV_SEND_SIGNALED} : 0U) |
                         (place.inline_data ? unsigned{IBV_SEND_INLINE} : 0U);
    Target target = place.target;
    target.addr += offset;
    op.fill(request, target);
    type.address(request, target);
  }
}

}  // namespace rdmabench
