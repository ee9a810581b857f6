#include "bench/receive_ring.h"

#include <algorithm>

namespace rdmabench {

ReceiveRing::ReceiveRing(const ReceiveShape& shape, const SlotLayout& layout, const Place& place)
    : place_(place),
      depth_(shape.depth),
      chain_(shape.chain),
      pieces_(shape.Length()),
      requests_(shape.Length()) {
  const std::vector<std::uint32_t> order = SlotOrder(shape.rules, shape.Slots(), place.first_slot);
  for (std::uint32_t i = 0; i < requests_.size(); ++i) {
    const std::uint64_t slot = place.first_slot + order[i % order.size()];
    pieces_[i] = {.addr = place.memory.addr + layout.Offset(slot),
                  .length = shape.slot_bytes,
                  .lkey = place.memory.key};
    const bool ends_chain = (i + 1) % chain_ == 0;
    requests_[i] = {.wr_id = place.queue,
                    .next = ends_chain ? nullptr : &requests_[i + 1],
                    .sg_list = &pieces_[i],
                    .num_sge = 1};
  }
}

int ReceiveRing::Fill() {
  for (std::uint32_t posted = 0; posted < depth_; posted += chain_) {
    if (const int code = PostChain(); code != 0) return code;
  }
  Restart();
  return 0;
}

// A part of the next chain's slots is in the queue from now on, and the requests of all chains get
// the slots behind theirs, so that chains go on beginning where they did.
int ReceiveRing::TopUp() {
  if (used_ == 0) return 0;
  ibv_recv_wr& last = requests_[position_ + used_ - 1];
  ibv_recv_wr* const next = last.next;
  last.next = nullptr;
  const int code = Post(&requests_[position_]);
  last.next = next;
  if (code != 0) return code;
  std::rotate(pieces_.begin(), pieces_.begin() + used_, pieces_.end());
  returned_ += used_;
  used_ = 0;
  return 0;
}

int ReceiveRing::PostChain() {
  if (const int code = Post(&requests_[position_]); code != 0) return code;
  returned_ += chain_;
  Advance(position_);
  return 0;
}

int ReceiveRing::Post(ibv_recv_wr* chain) const {
  ibv_recv_wr* bad = nullptr;
  return place_.srq != nullptr ? ibv_post_srq_recv(place_.srq, chain, &bad)
                               : ibv_post_recv(place_.qp, chain, &bad);
}

}  // namespace rdmabench
