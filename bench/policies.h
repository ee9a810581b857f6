// The choices inside an engine's loop, as types: what a run does not ask for costs nothing.
#pragma once

#include <infiniband/verbs.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "bench/clock.h"

namespace rdmabench {

// Stamp: what changes in a request each time its slot is used.
struct Unstamped {
  void operator()(ibv_send_wr* /*chain*/, std::uint64_t /*message*/) const {}
};

// Pace: whether a lane may post its next chain now; a "yes" is taken. A "no" is asked again on
// every pass.
struct Unpaced {
  static constexpr bool MayPost(std::uint32_t /*lane*/, std::uint64_t /*posted*/) { return true; }
};

// Messages at even distances, or bursts of them, by a schedule that begins with the first: what was
// late is caught up with, so the rate has no drift.
class Schedule {
 public:
  struct Options {
    double ticks_per_message = 0.0;
    std::uint32_t post_list = 1;
    std::uint32_t burst = 1;        // messages; at least a post
    std::uint64_t delay_ticks = 0;  // of the first
  };

  explicit Schedule(const Options& options)
      : posts_per_burst_(std::max(options.burst / options.post_list, 1U)),
        ticks_per_burst_(options.ticks_per_message * options.post_list * posts_per_burst_),
        delay_ticks_(options.delay_ticks) {}

  bool IsDue(std::uint64_t now) {
    if (start_ == 0) [[unlikely]]
      start_ = due_ = now + delay_ticks_;
    return now >= due_;
  }
  // A post is on its way.
  void Take() {
    if (++posted_in_burst_ < posts_per_burst_) return;
    posted_in_burst_ = 0;
    ++bursts_;
    // From the start each time, so that what is rounded off does not add up.
    due_ = start_ + static_cast<std::uint64_t>(static_cast<double>(bursts_) * ticks_per_burst_);
  }

 private:
  std::uint32_t posts_per_burst_;
  double ticks_per_burst_;
  std::uint64_t delay_ticks_;
  std::uint64_t start_ = 0;
  std::uint64_t due_ = 0;
  std::uint64_t bursts_ = 0;
  std::uint32_t posted_in_burst_ = 0;
};

// A schedule of each lane within what another pace allows. The lanes take turns.
template <class Other>
class Scheduled {
 public:
  Scheduled(const Schedule::Options& of_a_lane, std::uint32_t lanes, const TickClock& clock,
            Other other)
      : clock_(&clock), other_(std::move(other)) {
    const double ticks_per_post = of_a_lane.ticks_per_message * of_a_lane.post_list;
    for (std::uint32_t i = 0; i < lanes; ++i) {
      Schedule::Options options = of_a_lane;
      options.delay_ticks = static_cast<std::uint64_t>(ticks_per_post * i / lanes);
      schedules_.emplace_back(options);
    }
  }
  bool MayPost(std::uint32_t lane, std::uint64_t posted) {
    Schedule& schedule = schedules_[lane];
    if (!schedule.IsDue(clock_->Now()) || !other_.MayPost(lane, posted)) return false;
    schedule.Take();
    return true;
  }

 private:
  std::vector<Schedule> schedules_;
  const TickClock* clock_;
  [[no_unique_address]] Other other_;
};

// Probe: what is noted of single messages.
struct Unprobed {
  void Posted(std::uint64_t /*message*/) const {}
  void Completed(std::uint64_t /*messages*/) const {}
};

// Wait: what a driver does between two passes.
struct BusyPoll {
  void operator()(std::uint64_t /*completed*/, bool /*starved*/) const {}
};

}  // namespace rdmabench
