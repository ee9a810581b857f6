// One test on one side: queue pairs made and connected once, then every size over them. Both sides
// run the same code and the same exchange; what each does in it follows from its duty.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/crew.h"
#include "bench/side_run.h"
#include "bench/test.h"
#include "bench/verified_size.h"
#include "report/latency.h"
#include "transport/counters.h"
#include "transport/error.h"

namespace rdmabench {

// What a round trip of the test stands for.
report::LatencyBasis BasisOf(const TestPlan& test);

// What a side tells of a loop while it goes on, on the session thread.
struct Tick {
  Sample now;
  double messages_per_second = 0.0;             // since the last tick
  std::optional<report::Latency> latency = {};  // since the last tick, where it is measured here
};

class TestRun {
 public:
  struct Watching {
    std::function<void(const Tick&)> tick = {};  // may be empty
    std::chrono::milliseconds every{500};
  };

  // Makes the queue pairs, exchanges peer information in one frame each way, connects, and waits
  // until the peer has, too.
  explicit TestRun(const Crew::Setting& setting);

  // Both sides call it for the same size. Loses nothing on failure: what was measured until then is
  // in `own`, then it throws. Else `peer` is the other side's account.
  void Measure(std::size_t size, const Watching& watching, SideRun& own, SideRun& peer);

  // Of a plan with a search for rates: the client tells which one is measured next, and that there
  // is no other for this size. Without it the plan's own is.
  void TellRate(std::optional<double> messages_per_second);
  bool HearRate();

  const Crew& crew() const { return crew_; }

 private:
  void MeasureSize(std::size_t size, const Watching& watching, SideRun& own, SideRun& peer);
  Error Explain(Error error) const;
  void Meet(std::string_view kind, const RingShape& shape, std::chrono::milliseconds planned);
  Job JobFor(const RingShape& shape);  // of the next run
  void AddSchedule(const RingShape& shape, Job& job) const;
  double TicksPerMessage(const RingShape& shape) const;
  std::function<void(const Sample&, double)> Ticker(
      const Watching& watching, const std::vector<report::Histogram>& round_trips) const;
  void WarmUp(const RingShape& shape, SideRun& own);
  void Loop(const RingShape& shape, const Watching& watching, VerifiedSize& verified, SideRun& own);
  void ExchangeKept(const SideRun& own, SideRun& peer);
  void ThrowIfAborted() const;

  Crew::Setting setting_;
  const Test& test_;
  Crew crew_;
  std::vector<PortCounters> counters_;         // since the queue pairs are there
  std::optional<double> messages_per_second_;  // of the search
  std::uint64_t arrival_seed_;                 // of the run that comes next
  std::uint64_t runs_ = 0;                     // until now, over these queue pairs
};

}  // namespace rdmabench
