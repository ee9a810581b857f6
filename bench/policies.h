// The choices inside an engine's loop, as types: what a run does not ask for costs nothing.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/arrivals.h"
#include "bench/clock.h"

namespace rdmabench {

// Stamp: what changes in a request each time its slot is used. It gets the lane, the chain that is
// about to be posted, and the lane's number of the chain's first message, from 0 in each run. What
// was sent from these slots before has completed.
struct Unstamped {
  void operator()(std::uint32_t /*lane*/, ibv_send_wr* /*chain*/, std::uint64_t /*message*/) const {
  }
};

// Inspect: what is looked at in a message that has arrived, before its slot is posted again. It
// gets the completion, and where the slot begins; the payload lies behind the queue pair type's
// head-room. Of a shared receive queue the slot is not known: its requests may be used in another
// order than they were posted in.
struct Uninspected {
  void operator()(const ibv_wc& /*completion*/, std::uint64_t /*slot_addr*/) const {}
  // Of those that have come, how many had come before.
  static constexpr std::uint64_t repeated() { return 0; }
  // How many messages of the peer's no longer need a request of the queue, of which `returned` have
  // been posted again.
  static constexpr std::uint64_t Settled(std::uint32_t /*queue*/, std::uint64_t returned) {
    return returned;
  }
};

// Content: what the messages of a latency engine carry, and have to.
struct AnyContent {
  // A request of the lane is about to be posted, or has completed.
  void Leaves(std::uint32_t /*lane*/, ibv_send_wr& /*request*/) const {}
  void Completes(std::uint32_t /*lane*/) const {}
};

// Pace: whether a lane may post its next chain now; a "yes" is taken. A "no" is asked again on
// every pass.
struct Unpaced {
  static constexpr bool MayPost(std::uint32_t /*lane*/, std::uint64_t /*posted*/) { return true; }
};

struct ScheduleOptions {
  double ticks_per_message = 0.0;
  std::uint32_t post_list = 1;
  std::uint32_t burst = 1;  // messages; at least a post
  // See ArrivalOptions.
  std::uint32_t lane = 0;
  std::uint32_t lanes = 1;
  std::uint64_t seed = 0;
};

// Planned times of messages, or of bursts of them, since the first question: what was late is
// caught up with, so the rate has no drift.
template <class Arrivals = Even>
class Schedule {
 public:
  explicit Schedule(const ScheduleOptions& options)
      : posts_per_burst_(std::max(options.burst / options.post_list, 1U)),
        arrivals_({.mean_ticks = options.ticks_per_message * options.post_list * posts_per_burst_,
                   .lane = options.lane,
                   .lanes = options.lanes,
                   .seed = options.seed}) {}

  void Start(std::uint64_t now) {
    start_ = now;
    Advance();
  }
  bool IsDue(std::uint64_t now) {
    if (start_ == 0) [[unlikely]]
      Start(now);
    return now >= due_;
  }
  // The planned time of the next post. Not before the start.
  std::uint64_t due() const { return due_; }
  // A post is on its way.
  void Take() {
    if (++posted_in_burst_ < posts_per_burst_) return;
    posted_in_burst_ = 0;
    Advance();
  }

 private:
  void Advance() { due_ = start_ + static_cast<std::uint64_t>(arrivals_.Next()); }

  std::uint32_t posts_per_burst_;
  Arrivals arrivals_;
  std::uint64_t start_ = 0;
  std::uint64_t due_ = 0;
  std::uint32_t posted_in_burst_ = 0;
};

// A schedule of each lane within what another pace allows.
template <class Other, class Arrivals = Even>
class Scheduled {
 public:
  // `of_the_first`: of `lanes` lanes.
  Scheduled(const ScheduleOptions& of_the_first, std::uint32_t lanes, const TickClock& clock,
            Other other)
      : clock_(&clock), other_(std::move(other)) {
    ScheduleOptions options = of_the_first;
    for (std::uint32_t i = 0; i < lanes; ++i, ++options.lane) schedules_.emplace_back(options);
  }
  bool MayPost(std::uint32_t lane, std::uint64_t posted) {
    Schedule<Arrivals>& schedule = schedules_[lane];
    if (!schedule.IsDue(clock_->Now()) || !other_.MayPost(lane, posted)) return false;
    schedule.Take();
    return true;
  }

 private:
  std::vector<Schedule<Arrivals>> schedules_;
  const TickClock* clock_;
  [[no_unique_address]] Other other_;
};

// Probe: what is noted of single messages.
struct Unprobed {
  static constexpr bool kFollows = false;  // a place in the queue; see turns.h
  void Posted(std::uint64_t /*message*/) const {}
  void Completed(std::uint64_t /*messages*/) const {}
};

// Wait: what a driver does between two passes.
struct BusyPoll {
  void operator()(std::uint64_t /*completed*/, bool /*starved*/) const {}
};

}  // namespace rdmabench
