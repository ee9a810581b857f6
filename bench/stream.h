// The engine of the initiator in bandwidth tests: keeps every send queue full until its count is
// reached or it is told to finish.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bench/drive.h"
#include "bench/ring.h"

namespace rdmabench {

template <class Channel, class Stamp, class Pace, class Probe>
class Stream {
 public:
  struct Options {
    RingShape shape;
    std::uint64_t messages = 0;  // per lane; rounded up to whole units
    std::uint64_t at_least = 0;  // per lane, also when told to finish earlier
  };

  Stream(const Options& options, std::vector<Lane> lanes, std::vector<ibv_cq*> cqs,
         Stamp stamp = {}, Pace pace = {}, Probe probe = {})
      : shape_(options.shape),
        room_(std::uint64_t{shape_.window} - shape_.post_list + 1),
        minimum_(shape_.WholeUnits(std::max<std::uint64_t>(options.at_least, 1))),
        rings_(std::move(lanes)),
        lanes_(rings_.size()),
        cqs_(std::move(cqs)),
        stamp_(std::move(stamp)),
        pace_(std::move(pace)),
        probe_(std::move(probe)) {
    const std::uint64_t messages = shape_.WholeUnits(std::max(options.messages, minimum_));
    for (std::size_t i = 0; i < lanes_.size(); ++i) {
      lanes_[i] = {.qp = rings_[i].qp,
                   .requests = rings_[i].ring.requests().data(),
                   .length = static_cast<std::uint32_t>(rings_[i].ring.requests().size()),
                   .limit = messages};
      lanes_[i].Open(room_);
      if constexpr (Probe::kFollows) lanes_[i].followed = probe_.messages_a_look();
    }
    open_lanes_ = lanes_.size();
  }

  // Posts what may be posted, then takes what has completed. Returns false when the run has failed;
  // see failure(). In line, as Reap(): a driver calls it once a pass, which may be once a post.
  [[gnu::always_inline]] bool Step() {
    if (look_) [[unlikely]] {
      look_ = false;
      for (State& lane : lanes_) {
        if (!Fill(lane)) return false;
      }
    }
    for (ibv_cq* cq : cqs_) {
      if (!Reap(cq)) return false;
    }
    return true;
  }

  // Ends at the first whole unit that is not below what is posted already or the minimum.
  void Finish() {
    for (State& lane : lanes_) {
      const bool was_open = lane.completed < lane.limit;
      lane.limit = std::min(lane.limit, shape_.WholeUnits(std::max(lane.posted, minimum_)));
      lane.Open(room_);
      if (was_open && lane.completed >= lane.limit) --open_lanes_;
    }
    look_ = true;
  }

  bool Done() const { return open_lanes_ == 0; }
  std::uint64_t completed() const { return completed_; }
  // A lane has room that its pace does not let it use.
  bool starved() const { return look_; }
  ibv_wc_opcode opcode() const { return completions_[0].opcode; }
  const Failure& failure() const { return failure_; }
  const Probe& probe() const { return probe_; }
  std::vector<std::uint64_t> CompletedPerLane() const {
    std::vector<std::uint64_t> counts;
    counts.reserve(lanes_.size());
    for (const State& lane : lanes_) counts.push_back(lane.completed);
    return counts;
  }

 private:
  struct State {
    ibv_qp* qp = nullptr;
    ibv_send_wr* requests = nullptr;
    std::uint32_t position = 0;
    std::uint32_t length = 0;
    std::uint64_t posted = 0;
    // Posts go on while posted is below: window and count in one comparison.
    std::uint64_t may_post = 0;
    std::uint64_t completed = 0;
    std::uint64_t limit = 0;
    // With so many complete the place that the probe follows is free, and is looked at.
    std::uint64_t followed = 0;

    void Open(std::uint64_t room) { may_post = std::min(limit, completed + room); }
  };

  static constexpr int kPollBatch = 16;

  bool Fill(State& lane) {
    std::uint64_t posted = lane.posted;
    std::uint32_t position = lane.position;
    const auto index = static_cast<std::uint32_t>(&lane - lanes_.data());
    while (posted < lane.may_post) {
      if (!pace_.MayPost(index, posted)) {
        look_ = true;
        break;
      }
      ibv_send_wr* chain = lane.requests + position;
      stamp_(index, chain, posted);
      if (const int code = Channel::Post(lane.qp, chain); code != 0) [[unlikely]] {
        return FailPost(lane, code);
      }
      probe_.Posted(posted);
      posted += shape_.post_list;
      position += shape_.post_list;
      if (position == lane.length) position = 0;
    }
    lane.posted = posted;
    lane.position = position;
    return true;
  }

  [[gnu::always_inline]] bool Reap(ibv_cq* cq) {
    const int count = Channel::Poll(cq, completions_.data(), kPollBatch);
    if (count <= 0) return count == 0 || FailPoll(count);
    const std::span<const ibv_wc> fresh(completions_.data(), static_cast<std::size_t>(count));
    State* const lanes = lanes_.data();
    // Copies, which stay in registers while lanes are written.
    const std::uint64_t every = shape_.signal_every;
    const std::uint64_t room = room_;
    // All are credited before any lane is filled, so that a lane is filled in one go.
    for (const ibv_wc& completion : fresh) {
      if (completion.status != IBV_WC_SUCCESS) [[unlikely]]
        return FailCompletion(completion);
      State& lane = lanes[completion.wr_id];
      lane.completed += every;
      completed_ += every;
      probe_.Completed(lane.completed);
      if (lane.completed == lane.limit) --open_lanes_;
      lane.Open(room);
      if constexpr (Probe::kFollows) {
        if (lane.completed >= lane.followed && !Turn(lane)) [[unlikely]]
          return false;
      }
    }
    for (const ibv_wc& completion : fresh) {
      State& lane = lanes[completion.wr_id];
      if (lane.posted < lane.may_post && !Fill(lane)) return false;
    }
    return true;
  }

  // The place that is followed is free; where it may, the next message takes it at once.
  [[gnu::cold]] bool Turn(State& lane) {
    const std::uint64_t freed_ticks = probe_.Now();
    if (lane.posted < lane.may_post && !Fill(lane)) return false;
    probe_.Turned(static_cast<std::size_t>(&lane - lanes_.data()), freed_ticks,
                  lane.posted >= lane.followed + shape_.window);
    lane.followed += probe_.messages_a_look();
    return true;
  }

  [[gnu::cold]] bool FailPost(const State& lane, int code) {
    failure_ = {.what = Failure::What::kPost, .code = code, .qpn = lane.qp->qp_num};
    return false;
  }
  [[gnu::cold]] bool FailPoll(int code) {
    failure_ = {.what = Failure::What::kPoll, .code = code};
    return false;
  }
  [[gnu::cold]] bool FailCompletion(const ibv_wc& completion) {
    failure_ = FailureOf(completion);
    return false;
  }

  RingShape shape_;
  std::uint64_t room_;  // a lane may post while it has fewer than so many in flight
  std::uint64_t minimum_;
  std::vector<Lane> rings_;
  std::vector<State> lanes_;
  std::vector<ibv_cq*> cqs_;
  [[no_unique_address]] Stamp stamp_;
  [[no_unique_address]] Pace pace_;
  [[no_unique_address]] Probe probe_;
  std::array<ibv_wc, kPollBatch> completions_{};
  std::size_t open_lanes_ = 0;
  std::uint64_t completed_ = 0;
  bool look_ = true;  // lanes may have room that no completion will point to
  Failure failure_;
};

}  // namespace rdmabench
