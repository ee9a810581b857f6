// The queue pairs of a latency engine: requests are posted one by one, and their own completions
// are taken off beside.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "bench/drive.h"
#include "bench/policies.h"
#include "bench/poll.h"
#include "bench/ring.h"

namespace rdmabench {

template <class Channel, class Content = AnyContent>
class Lanes {
 public:
  // Every request of a ring is signalled.
  Lanes(const RingShape& shape, std::vector<Lane> lanes, std::vector<ibv_cq*> cqs,
        Content content = {})
      : window_(shape.window),
        cqs_(std::move(cqs)),
        lanes_(lanes.size()),
        kept_(std::move(lanes)),
        content_(std::move(content)) {
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      lanes_[i] = {.qp = kept_[i].qp,
                   .requests = kept_[i].ring.requests().data(),
                   .length = static_cast<std::uint32_t>(kept_[i].ring.requests().size())};
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(lanes_.size()); }
  bool HasRoom(std::uint32_t lane) const { return lanes_[lane].in_flight < window_; }
  std::uint64_t in_flight() const { return in_flight_; }
  ibv_wc_opcode opcode() const { return completions_[0].opcode; }

  // The lane's request that Post() takes next, which would else be the one after the last.
  ibv_send_wr& Select(std::uint32_t lane, std::uint32_t request) {
    lanes_[lane].position = request;
    return lanes_[lane].requests[request];
  }
  std::uint32_t window() const { return window_; }

  bool Post(std::uint32_t index, Failure& failure) {
    State& lane = lanes_[index];
    ibv_send_wr* const request = lane.requests + lane.position;
    content_.Leaves(index, *request);
    if (const int code = Channel::Post(lane.qp, request); code != 0) [[unlikely]] {
      failure = {.what = Failure::What::kPost, .code = code, .qpn = lane.qp->qp_num};
      return false;
    }
    if (++lane.position == lane.length) lane.position = 0;
    ++lane.in_flight;
    ++in_flight_;
    return true;
  }

  // Calls `take` with the lane of each completed request; false: failed, or take() was.
  template <class Take>
  [[gnu::always_inline]] bool Reap(Failure& failure, const Take& take) {
    return PollEach<Channel>(cqs_, completions_, failure, [&](const ibv_wc& completion) {
      const auto lane = static_cast<std::uint32_t>(completion.wr_id);
      --lanes_[lane].in_flight;
      --in_flight_;
      content_.Completes(lane);
      return take(lane);
    });
  }

 private:
  struct State {
    ibv_qp* qp = nullptr;
    ibv_send_wr* requests = nullptr;
    std::uint32_t position = 0;
    std::uint32_t length = 0;
    std::uint32_t in_flight = 0;  // posted and not seen completed
  };

  std::uint32_t window_;
  std::vector<ibv_cq*> cqs_;
  std::vector<State> lanes_;
  std::vector<Lane> kept_;
  [[no_unique_address]] Content content_;
  CompletionBatch completions_{};
  std::uint64_t in_flight_ = 0;
};

}  // namespace rdmabench
