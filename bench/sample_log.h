// Round trips one by one, for as many as there is room: what --samples asks for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "report/histogram.h"

namespace rdmabench {

// Of one size of a test; 80 MB.
inline constexpr std::uint64_t kMostKeptSamples = 10'000'000;

// A cache line of its own: threads record into neighbours.
class alignas(64) SampleLog {
 public:
  // Takes and touches its memory at once: in the window it costs no page faults.
  explicit SampleLog(std::size_t room) : ticks_(room), room_(room) {}

  // Nothing, when there is no room left.
  void Record(std::uint64_t ticks) {
    if (count_ == room_) [[unlikely]]
      return;
    ticks_[count_++] = ticks;
  }

  // Appends what was recorded, in order, and gives the memory back.
  void MoveTo(std::vector<std::uint64_t>& all) {
    ticks_.resize(std::exchange(count_, 0));
    room_ = 0;
    if (all.empty()) {
      all = std::exchange(ticks_, {});
    } else {
      all.insert(all.end(), ticks_.begin(), ticks_.end());
      ticks_ = {};
    }
  }

 private:
  std::vector<std::uint64_t> ticks_;
  std::size_t room_;
  std::size_t count_ = 0;
};

// Probe of a Ping: each round trip in the histogram and by itself.
struct RecordAndKeep {
  report::Histogram& histogram;
  SampleLog& log;

  void Record(std::uint64_t ticks) {
    histogram.Record(ticks);
    log.Record(ticks);
  }
};

}  // namespace rdmabench
