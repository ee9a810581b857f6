// Watches a loop from the session thread: samples its progress, ends it at its deadline or when it
// has shown enough, notices when nothing completes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bench/clock.h"
#include "transport/session.h"

namespace rdmabench {

// Messages completed at a moment.
struct Sample {
  std::uint64_t ticks = 0;
  std::uint64_t messages = 0;
  std::uint64_t counted = 0;  // those of them that this side counts for the result
};

class Monitor {
 public:
  // Half of the shortest interval of which a rate is told, and no more often: on a host with one
  // processor each look takes it from the loop. Between two samples a count is taken to move
  // evenly, which makes neighbouring intervals alike; the interval of the mean bears that.
  static constexpr std::chrono::milliseconds kFirstSampling{50};

  using Counts = std::vector<const std::atomic<std::uint64_t>*>;

  struct Options {
    std::optional<std::chrono::milliseconds> duration;  // then the finish flag is set
    // Asked with all samples at each new one; once it is true the finish flag is set. May be empty.
    std::function<bool(std::span<const Sample>)> enough = {};
    std::chrono::milliseconds sample_every = kFirstSampling;
    std::chrono::milliseconds stall_timeout{10'000};  // no completion for as long ends the session
    std::function<void(const Sample& now, double messages_per_second)> progress;  // may be empty
    std::chrono::milliseconds progress_every{500};
    bool ends_by_interrupt = false;  // the user's interrupt sets the finish flag, and no more
  };

  // All arguments outlive it. `counted`: those of `completed` that the result is made of.
  Monitor(Session& session, const TickClock& clock, Counts completed, Counts counted,
          std::atomic<bool>& finish, const Options& options);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  // Watches from now on, until Stop() or its end: the duration and the stall timeout count from
  // here. Any thread may call it.
  void Start();
  // Ends the watch; what was sampled: at most kMostSamples, evenly thinned out.
  std::vector<Sample> Stop();
  // When the count last moved, to a sampling interval. Not while it watches.
  std::uint64_t moved_ticks() const { return moved_ticks_; }

 private:
  void Leave();
  Deadline Watch(Deadline now);
  void Record(const Sample& sample);
  void Judge();

  Session& session_;
  const TickClock& clock_;
  Counts completed_;
  Counts counted_;
  std::atomic<bool>& finish_;
  Options options_;
  std::optional<Deadline> finish_at_;
  Deadline next_sample_;
  Deadline next_progress_;
  Deadline moved_at_;
  std::chrono::milliseconds sample_every_;
  Sample reported_;
  Deadline reported_at_;
  std::uint64_t seen_ = 0;
  std::uint64_t moved_ticks_ = 0;
  std::vector<Sample> samples_;
};

}  // namespace rdmabench
