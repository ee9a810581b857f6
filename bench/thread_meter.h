// What one thread costs while it is measured: processor time and what the processor counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "transport/cpu_counters.h"
#include "transport/cpu_time.h"

namespace rdmabench {

struct ThreadCost {
  CpuTime time;
  CpuCounts counts;

  // Of CpuEvents(), by index.
  std::optional<std::uint64_t> EventAt(std::size_t index) const {
    return index < counts.events.size() ? counts.events[index] : std::nullopt;
  }
  // Of both together; an event that one of them did not count is not known of both.
  ThreadCost& operator+=(const ThreadCost& other) {
    time.user_seconds += other.time.user_seconds;
    time.system_seconds += other.time.system_seconds;
    for (std::size_t i = 0; i < counts.events.size(); ++i) {
      std::optional<std::uint64_t>& sum = counts.events[i];
      const std::optional<std::uint64_t> count = other.EventAt(i);
      sum = sum && count ? std::optional(*sum + *count) : std::nullopt;
    }
    if (counts.why_not.empty()) counts.why_not = other.counts.why_not;
    return *this;
  }
};

// Made, started and stopped on the thread that it measures. Nothing of it runs in between.
class ThreadMeter {
 public:
  void Start() {
    opened_ = ThreadCpuTime();
    counters_.Start();
  }
  ThreadCost Stop() {
    ThreadCost cost;
    cost.counts = counters_.Stop();
    cost.time = ThreadCpuTime() - opened_;
    return cost;
  }

 private:
  CpuCounters counters_;
  CpuTime opened_;
};

}  // namespace rdmabench
