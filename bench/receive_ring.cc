#include "bench/receive_ring.h"

#include <algorithm>

namespace rdmabench {

ReceiveRing::ReceiveRing(const ReceiveShape& shape, const SlotLayout& layout, const Place& place)
    : place_(place), chain_(shape.chain), pieces_(shape.depth), requests_(shape.depth) {
  for (std::uint32_t i = 0; i < shape.depth; ++i) {
    pieces_[i] = {.addr = place.memory.addr + layout.Offset(place.first_slot + i),
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
  for (std::uint32_t posted = 0; posted < requests_.size(); posted += chain_) {
    if (const int code = PostChain(); code != 0) return code;
  }
  Restart();
  return 0;
}

// The slots that were used are those of the first requests of the chain. They are in the queue
// again from now on, and the chain's requests get the slots that will be used next.
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
  position_ += chain_;
  if (position_ == requests_.size()) position_ = 0;
  return 0;
}

int ReceiveRing::Post(ibv_recv_wr* chain) const {
  ibv_recv_wr* bad = nullptr;
  return place_.srq != nullptr ? ibv_post_srq_recv(place_.srq, chain, &bad)
                               : ibv_post_recv(place_.qp, chain, &bad);
}

}  // namespace rdmabench
