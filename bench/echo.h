// The engine that answers in latency tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/drive.h"
#include "bench/lanes.h"

namespace rdmabench {

template <class Channel, class Answer>
class Echo {
 public:
  // `expected`: how many messages the peer has sent, once that is known; until then more than can
  // be.
  Echo(Lanes<Channel> lanes, Answer answer, const std::atomic<std::uint64_t>& expected)
      : lanes_(std::move(lanes)),
        answer_(std::move(answer)),
        expected_(expected),
        owed_(lanes_.size()) {}

  bool Step() {
    const std::uint64_t before = completed_;
    if (!answer_.template Collect<Channel>(
            failure_, [this](std::uint32_t lane, std::uint8_t mark) { return Reply(lane, mark); }))
      return false;
    if (completed_ != before && owing_ == 0) return true;
    if (!lanes_.Reap(failure_, [](std::uint32_t) { return true; })) return false;
    return owing_ == 0 || PayOff();
  }

  // It ends when all is answered that the peer has sent.
  void Finish() {}
  bool Done() const {
    return completed_ >= expected_.load(std::memory_order_relaxed) && lanes_.in_flight() == 0 &&
           owing_ == 0;
  }
  std::uint64_t completed() const { return completed_; }
  bool starved() const { return owing_ != 0; }
  const Failure& failure() const { return failure_; }
  ibv_wc_opcode received_opcode() const { return answer_.opcode(); }
  std::uint64_t bytes() const { return answer_.bytes(); }  // as completions say

 private:
  bool Reply(std::uint32_t lane, std::uint8_t mark) {
    ++completed_;
    answer_.Mark(lane, mark);
    if (lanes_.HasRoom(lane)) [[likely]]
      return lanes_.Post(lane, failure_);
    ++owed_[lane];
    ++owing_;
    return true;
  }

  [[gnu::cold]] bool PayOff() {
    for (std::uint32_t lane = 0; lane < owed_.size(); ++lane) {
      for (; owed_[lane] > 0 && lanes_.HasRoom(lane); --owed_[lane], --owing_) {
        if (!lanes_.Post(lane, failure_)) return false;
      }
    }
    return true;
  }

  Lanes<Channel> lanes_;
  Answer answer_;
  const std::atomic<std::uint64_t>& expected_;
  std::vector<std::uint32_t> owed_;  // answers for which a lane had no room
  std::uint64_t owing_ = 0;
  std::uint64_t completed_ = 0;
  Failure failure_;
};

}  // namespace rdmabench
