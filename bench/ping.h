// The engine that measures round trips: a message, its answer, the next message.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/clock.h"
#include "bench/drive.h"
#include "bench/lanes.h"

namespace rdmabench {

template <class Channel, class Answer, class Probe, class Content = AnyContent>
class Ping {
 public:
  struct Options {
    std::uint64_t messages = 0;  // per lane
    // After which an answer counts as lost, and no other is sent for as long, so that a late one is
    // not taken for the next; 0: every answer comes, or the loop is ended from outside.
    std::uint64_t reply_timeout_ticks = 0;
  };

  // `probe` gets Record(ticks) for each round trip.
  Ping(const Options& options, Lanes<Channel, Content> lanes, Answer answer, const TickClock& clock,
       Probe& probe)
      : options_(options),
        lanes_(std::move(lanes)),
        answer_(std::move(answer)),
        clock_(clock),
        probe_(probe),
        states_(lanes_.size()),
        open_(lanes_.size()) {}

  // In line, as what it calls for each completion: a driver calls it once a pass.
  [[gnu::always_inline]] bool Step() {
    if (look_) [[unlikely]] {
      look_ = false;
      for (std::uint32_t lane = 0; lane < states_.size(); ++lane) {
        if (states_[lane].waits_for_room && !Send(lane, clock_.Now())) return false;
      }
    }
    const std::uint64_t before = completed_;
    if (!answer_.template Collect<Channel>(failure_, [this](std::uint32_t lane, std::uint8_t mark) {
          return OnReply(lane, mark);
        }))
      return false;
    if (!Answer::kOwnCompletions && completed_ != before && !look_) return true;
    // Nothing came: the time to look after the own requests' completions, and after losses.
    if (!lanes_.Reap(failure_, [this](std::uint32_t lane) {
          return !Answer::kOwnCompletions || OnReply(lane, 0);
        }))
      return false;
    return options_.reply_timeout_ticks == 0 || CheckLosses();
  }

  void Finish() { finishing_ = true; }
  bool Done() const { return open_ == 0 && lanes_.in_flight() == 0; }
  std::uint64_t completed() const { return completed_; }
  bool starved() const { return look_ || options_.reply_timeout_ticks != 0; }
  const Failure& failure() const { return failure_; }

  std::uint64_t sent() const { return sent_; }
  std::uint64_t lost() const { return lost_; }
  // Before the first message, and after the last answer that counts.
  std::uint64_t first_ticks() const { return first_ticks_; }
  std::uint64_t last_ticks() const { return last_ticks_; }
  ibv_wc_opcode sent_opcode() const { return lanes_.opcode(); }
  ibv_wc_opcode received_opcode() const { return answer_.opcode(); }
  std::vector<std::uint64_t> counts() const {
    std::vector<std::uint64_t> counts;
    for (const State& state : states_) counts.push_back(state.completed);
    return counts;
  }

 private:
  struct State {
    std::uint64_t sent_ticks = 0;
    std::uint64_t sent = 0;
    std::uint64_t completed = 0;
    std::uint8_t mark = 0;
    bool waits = false;          // for an answer
    bool waits_for_room = true;  // to post
    bool rests = false;          // after a loss
  };

  bool OnReply(std::uint32_t index, std::uint8_t mark) {
    State& lane = states_[index];
    if (!lane.waits || (Answer::kMarks && mark != lane.mark)) [[unlikely]]
      return true;  // late
    const std::uint64_t now = clock_.Now();
    const std::uint64_t round_trip = now - lane.sent_ticks;
    lane.waits = false;
    ++lane.completed;
    ++completed_;
    last_ticks_ = now;
    // The next is on its way before this one is written down.
    const bool ok = Next(index, now);
    probe_.Record(round_trip);
    return ok;
  }

  bool Next(std::uint32_t index, std::uint64_t now) {
    State& lane = states_[index];
    if (lane.sent >= options_.messages || finishing_) [[unlikely]] {
      --open_;
      return true;
    }
    return Send(index, now);
  }

  bool Send(std::uint32_t index, std::uint64_t now) {
    State& lane = states_[index];
    lane.waits_for_room = !lanes_.HasRoom(index);
    if (lane.waits_for_room) [[unlikely]] {
      look_ = true;
      return true;
    }
    if constexpr (Answer::kMarks) lane.mark = answer_.NextMark(index);
    if (first_ticks_ == 0) [[unlikely]]
      first_ticks_ = now;
    lane.waits = true;
    lane.sent_ticks = now;
    ++lane.sent;
    ++sent_;
    return lanes_.Post(index, failure_);
  }

  [[gnu::noinline]] bool CheckLosses() {
    const std::uint64_t now = clock_.Now();
    for (std::uint32_t index = 0; index < states_.size(); ++index) {
      State& lane = states_[index];
      if ((!lane.waits && !lane.rests) || now - lane.sent_ticks < options_.reply_timeout_ticks)
        continue;
      if (lane.rests) {
        lane.rests = false;
        if (!Next(index, now)) return false;
        continue;
      }
      lane.waits = false;
      lane.rests = true;
      lane.sent_ticks = now;
      ++lost_;
    }
    return true;
  }

  Options options_;
  Lanes<Channel, Content> lanes_;
  Answer answer_;
  const TickClock& clock_;
  Probe& probe_;
  std::vector<State> states_;
  std::size_t open_;
  std::uint64_t completed_ = 0;
  std::uint64_t sent_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t first_ticks_ = 0;
  std::uint64_t last_ticks_ = 0;
  bool look_ = true;  // lanes wait for room
  bool finishing_ = false;
  Failure failure_;
};

}  // namespace rdmabench
