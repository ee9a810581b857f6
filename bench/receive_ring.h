// The receive requests of one queue, made once per test: the queue is kept full, a chain at a time.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <vector>

#include "bench/ring.h"
#include "bench/shape.h"

namespace rdmabench {

class ReceiveRing {
 public:
  struct Place {
    std::uint32_t queue = 0;       // becomes wr_id
    std::uint64_t first_slot = 0;  // of the layout
    SlotMemory memory{};
    ibv_qp* qp = nullptr;    // where the requests are posted: this one's queue …
    ibv_srq* srq = nullptr;  // … or, when there is one, the shared queue
  };

  // Posts nothing yet.
  ReceiveRing(const ReceiveShape& shape, const SlotLayout& layout, const Place& place);
  ReceiveRing(ReceiveRing&&) = default;
  ReceiveRing& operator=(ReceiveRing&&) = default;

  // Posts all requests; once. This and the others return 0, or the errno value of a failed post.
  int Fill();
  // One request has been used; true: so many that Repost() has to post a chain again.
  bool Took() { return ++used_ == chain_; }
  int Repost() {
    used_ = 0;
    Advance(front_);
    return PostChain();
  }
  // Posts what has been used since the last chain, so that the queue is full.
  int TopUp();
  // Where the slot of the request begins that is used next. Of a shared queue, only where requests
  // are used in the order in which they were posted.
  std::uint64_t front_addr() const { return pieces_[front_ + used_].addr; }

  // Requests posted again since Restart(), which is what the sender may send on top of the depth.
  std::uint64_t returned() const { return returned_; }
  void Restart() { returned_ = 0; }
  std::uint32_t number() const { return place_.queue; }

 private:
  int PostChain();
  // To the next chain of the ring.
  void Advance(std::uint32_t& position) const {
    position += chain_;
    if (position == requests_.size()) position = 0;
  }
  int Post(ibv_recv_wr* chain) const;

  Place place_;
  std::uint32_t depth_;  // requests in the queue; the ring has as many, or more
  std::uint32_t chain_;
  std::uint32_t used_ = 0;
  std::uint32_t position_ = 0;  // of the chain that is posted next
  std::uint32_t front_ = 0;     // of the one that is used
  std::uint64_t returned_ = 0;
  std::vector<ibv_sge> pieces_;
  std::vector<ibv_recv_wr> requests_;  // chained; points into pieces_
};

}  // namespace rdmabench
