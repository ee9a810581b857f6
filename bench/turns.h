// How fast the places of a send queue come round. One place of each queue pair is followed: a turn
// goes from the moment when a completion frees it to the one when the next completion does. By
// Little's law the rate times the mean turn is the depth, whatever the network, the host or a pace
// makes of the two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/clock.h"
#include "bench/ring.h"

namespace rdmabench {

struct Turns {
  std::uint64_t count = 0;
  std::uint64_t last_ticks = 0;    // when the last one ended; the first began with the window
  std::uint64_t refill_ticks = 0;  // of all: the place was free, and the host filled the queue
  std::uint64_t starved = 0;  // the place was not taken at once: by a pace, or for want of credits
};

// A probe of Stream. A place is looked at when it is free again: after each turn, or after so many
// that a look is a small part of the work.
class FollowTurns {
 public:
  static constexpr bool kFollows = true;

  FollowTurns(std::size_t queue_pairs, const RingShape& shape, const TickClock& clock)
      : clock_(&clock),
        turns_a_look_(std::max(MessagesALook(shape.message_bytes) / shape.window, 1U)),
        messages_a_look_(std::uint64_t{turns_a_look_} * shape.window),
        turns_(queue_pairs),
        next_(queue_pairs) {}

  std::uint64_t messages_a_look() const { return messages_a_look_; }
  void Posted(std::uint64_t /*message*/) const {}
  void Completed(std::uint64_t /*messages*/) const {}
  std::uint64_t Now() const { return clock_->Now(); }
  // Turns have ended, and another begun; `is_taken`: with a message in the place already.
  void Turned(std::size_t queue_pair, std::uint64_t freed_ticks, bool is_taken) {
    Turns& turns = turns_[queue_pair];
    Beginning& next = next_[queue_pair];
    turns.count += turns_a_look_;
    turns.last_ticks = freed_ticks;
    // Those between two looks are taken to be like the first.
    turns.refill_ticks += turns_a_look_ * next.refill_ticks;
    turns.starved += next.is_starved ? turns_a_look_ : 0;
    // Of a turn that does not end nothing is told.
    next = {.refill_ticks = is_taken ? Now() - freed_ticks : 0, .is_starved = !is_taken};
  }
  const std::vector<Turns>& turns() const { return turns_; }

 private:
  // Some hundred instructions among as many messages as take ten microseconds at 100 Gb/s.
  static std::uint32_t MessagesALook(std::uint32_t message_bytes) {
    constexpr std::uint32_t kBytes = 1 << 17;
    return std::clamp(kBytes / std::max(message_bytes, 1U), 16U, 1024U);
  }

  // What is known of the turn under way.
  struct Beginning {
    std::uint64_t refill_ticks = 0;
    bool is_starved = false;
  };

  const TickClock* clock_;
  std::uint32_t turns_a_look_;
  std::uint64_t messages_a_look_;
  std::vector<Turns> turns_;
  std::vector<Beginning> next_;
};

}  // namespace rdmabench
