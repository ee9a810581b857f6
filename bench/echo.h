// The engine that answers in latency tests.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>

#include "bench/drive.h"
#include "bench/lanes.h"

namespace rdmabench {

template <class Channel, class Answer, class Content = AnyContent>
class Echo {
 public:
  // `expected`: how many messages the peer has sent, once that is known; until then more than can
  // be.
  Echo(Lanes<Channel, Content> lanes, Answer answer, const std::atomic<std::uint64_t>& expected)
      : lanes_(std::move(lanes)), answer_(std::move(answer)), expected_(expected) {}

  bool Step() {
    const std::uint64_t before = completed_;
    if (!answer_.template Collect<Channel>(
            failure_, [this](std::uint32_t lane, Name name) { return Reply(lane, name); }))
      return false;
    if (completed_ != before && owed_.empty()) return true;
    if (!lanes_.Reap(failure_, [](std::uint32_t) { return true; })) return false;
    return owed_.empty() || PayOff();
  }

  // It ends when all is answered that the peer has sent.
  void Finish() {}
  bool Done() const {
    return completed_ >= expected_.load(std::memory_order_relaxed) && lanes_.in_flight() == 0 &&
           owed_.empty();
  }
  std::uint64_t completed() const { return completed_; }
  bool starved() const { return !owed_.empty(); }
  const Failure& failure() const { return failure_; }
  ibv_wc_opcode received_opcode() const { return answer_.opcode(); }
  std::uint64_t bytes() const { return answer_.bytes(); }  // as completions say

 private:
  using Name = typename Answer::Name;

  bool Reply(std::uint32_t lane, Name name) {
    ++completed_;
    if (lanes_.HasRoom(lane)) [[likely]]
      return Post(lane, name);
    Owe(lane, name);
    return true;
  }

  bool Post(std::uint32_t lane, Name name) {
    if constexpr (Answer::kNamesSlots) {
      if (name.slot >= lanes_.window()) [[unlikely]]
        return true;  // not from a ping
      Answer::Leave(lanes_.Select(lane, name.slot), name);
    } else {
      answer_.Mark(lane, name);
    }
    return lanes_.Post(lane, failure_);
  }

  [[gnu::cold]] void Owe(std::uint32_t lane, Name name) { owed_.push_back({lane, name}); }

  // In order; a lane without room does not keep the others waiting.
  [[gnu::cold]] bool PayOff() {
    for (std::size_t left = owed_.size(); left > 0; --left) {
      const Owed oldest = owed_.front();
      owed_.pop_front();
      if (!lanes_.HasRoom(oldest.lane)) {
        owed_.push_back(oldest);
      } else if (!Post(oldest.lane, oldest.name)) {
        return false;
      }
    }
    return true;
  }

  struct Owed {
    std::uint32_t lane;
    Name name;
  };

  Lanes<Channel, Content> lanes_;
  Answer answer_;
  const std::atomic<std::uint64_t>& expected_;
  std::deque<Owed> owed_;  // answers for which a lane had no room
  std::uint64_t completed_ = 0;
  Failure failure_;
};

}  // namespace rdmabench
