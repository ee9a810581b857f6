// What a side reads before the window opens and after it has closed, never in it: what its ports,
// their network interfaces and the queueing disciplines below count, and processor time.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "bench/side_run.h"
#include "bench/site.h"
#include "transport/counters.h"
#include "transport/cpu_time.h"

namespace rdmabench {

// What each device's port and what lies below it count at this moment.
std::vector<PortCounters> ReadCountersOf(const Site& site);
// What has moved since, of each device; of packets also what has not.
std::vector<report::CounterDeltas> MovedSince(const Site& site,
                                              const std::vector<PortCounters>& before);

class Surroundings {
 public:
  // Reads them. `site` must outlive it.
  explicit Surroundings(const Site& site);

  // Reads them again, and puts what has moved since into `run`.
  void Close(SideRun& run) const;

 private:
  struct Moment {
    std::chrono::steady_clock::time_point at;
    CpuTime process;
    std::optional<double> softirq_seconds;
  };
  static Moment Now();

  const Site& site_;
  std::vector<PortCounters> counters_;  // one of each device
  Moment opened_;                       // last: reading counters takes its time
};

}  // namespace rdmabench
