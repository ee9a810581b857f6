// What the processor counts of a thread, by perf_event_open(2), where the system permits it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/descriptor.h"

namespace rdmabench {

struct CpuEvent {
  std::string_view name;  // "user_cycles"
  std::uint32_t type;     // PERF_TYPE_*
  std::uint64_t config;
  bool in_kernel;  // counted there only, else in user mode only
};

// Cycles and instructions, in user mode and in the kernel.
std::span<const CpuEvent> CpuEvents();

struct CpuCounts {
  std::vector<std::optional<std::uint64_t>> events;  // in the order of the table
  std::string why_not;  // why the first that is absent is; empty when none is
};

class CpuCounters {
 public:
  // Of the thread that makes them, and to be used by it. Never fails: what the system does not
  // permit is not counted.
  explicit CpuCounters(std::span<const CpuEvent> events = CpuEvents());

  void Start();      // from 0
  CpuCounts Stop();  // what was counted since Start()

 private:
  struct Counter {
    Descriptor file;
    std::string why_not;
  };

  std::span<const CpuEvent> events_;
  std::vector<Counter> counters_;
};

}  // namespace rdmabench
