// Runs the hot loop of a bandwidth test over fake verbs, for instruction_budget_test.py to count: a
// fixed number of messages with a given post list and signalling cadence, on one queue pair,
// nothing else.
//
//   hot_loop_cost MESSAGES POST_LIST SIGNAL_EVERY

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "bench/clock.h"
#include "bench/loopback.h"
#include "bench/run_stream.h"

namespace rdmabench {
namespace {

int Main(char** argv) {
  const std::uint64_t messages = std::strtoull(argv[1], nullptr, 10);
  const RingShape shape{.message_bytes = 64,
                        .window = 128,
                        .post_list = static_cast<std::uint32_t>(std::atoi(argv[2])),
                        .signal_every = static_cast<std::uint32_t>(std::atoi(argv[3]))};
  const Loopback loopback(shape, 1);
  const TickClock clock;
  const std::atomic<bool> abort{false};
  std::atomic<bool> finish{false};
  std::atomic<std::uint64_t> progress{0};
  const StreamRun run =
      RunStream(loopback.client(), loopback.Job(messages), clock, {abort, finish}, progress, [] {});
  std::printf("%llu\n", static_cast<unsigned long long>(run.messages));
  return run.loop.outcome == Outcome::kDone ? 0 : 1;
}

}  // namespace
}  // namespace rdmabench

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  return rdmabench::Main(argv);
}
