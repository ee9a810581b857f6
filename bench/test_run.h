// One test on one side: queue pairs made and connected once, then every size over them. Both sides
// run the same code and the same exchange; which engines move in it follows from the test's row and
// the side.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/agreement.h"
#include "bench/monitor.h"
#include "bench/run_stream.h"
#include "bench/site.h"
#include "bench/test.h"
#include "bench/worker.h"
#include "transport/session.h"

namespace rdmabench {

enum class Role { kClient, kServer };

// What one side did for one size.
struct SizeRun {
  bool active = false;   // this side posted
  bool complete = true;  // ran to its end
  double window_seconds = 0.0;
  std::uint64_t messages = 0;
  std::vector<std::uint64_t> messages_per_queue_pair;
  std::vector<Sample> samples;
  std::uint64_t start_ticks = 0;
  std::uint64_t warmup_messages = 0;
  double warmup_seconds = 0.0;
  bool inline_used = false;
};

class TestRun {
 public:
  struct Setting {
    Session& session;
    const Site& site;
    const TestPlan& plan;
    const Agreement& agreement;
    Role role;
    std::string& step;  // what the side is doing, kept up to date for error texts
    std::chrono::milliseconds longest_phase;  // that the peer may take to warm up, or to run
  };

  // Makes the queue pairs, exchanges peer information in one frame each way, connects, and waits
  // until the peer has, too.
  explicit TestRun(const Setting& setting);

  // Both sides call it for the same size. Loses nothing on failure: what was measured until then is
  // in `run`, then it throws.
  void Measure(std::size_t size, const std::function<void(const Sample&, double)>& progress,
               SizeRun& run);

  const Endpoint& endpoint() const { return worker_->endpoint(); }

 private:
  EndpointOptions OptionsFor() const;
  void Connect();
  void Meet(std::string_view kind, const RingShape& shape);
  void WarmUp(const RingShape& shape, SizeRun& run);
  void Loop(const RingShape& shape, const std::function<void(const Sample&, double)>& progress,
            SizeRun& run);
  StreamRun Stream(const StreamJob& job, const Monitor::Options& watch,
                   std::vector<Sample>* samples);
  void ExchangeCounts(SizeRun& run);
  [[noreturn]] void ThrowWhy(const LoopResult& loop);

  Setting setting_;
  const Test& test_;
  const QpType& type_;
  std::unique_ptr<Worker> worker_;
};

}  // namespace rdmabench
