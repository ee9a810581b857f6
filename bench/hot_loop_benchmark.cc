// Wall time of the hot loop over fake verbs: for comparing two versions of it on one machine, never
// as a figure of a network.

#include <benchmark/benchmark.h>

#include <atomic>

#include "bench/clock.h"
#include "bench/loopback.h"
#include "bench/run_stream.h"

namespace rdmabench {
namespace {

void WriteBandwidth(benchmark::State& state) {
  constexpr std::uint64_t kMessages = 100'000;
  const RingShape shape{.message_bytes = 64,
                        .window = 128,
                        .post_list = static_cast<std::uint32_t>(state.range(0)),
                        .signal_every = static_cast<std::uint32_t>(state.range(1))};
  const auto queue_pairs = static_cast<std::uint32_t>(state.range(2));
  const Loopback loopback(shape, queue_pairs);
  const TickClock clock;
  const std::atomic<bool> abort{false};
  std::uint64_t messages = 0;
  for (auto step : state) {
    std::atomic<bool> finish{false};
    std::atomic<std::uint64_t> progress{0};
    const StreamRun run = RunStream(loopback.client(), loopback.Job(kMessages / queue_pairs), clock,
                                    {abort, finish}, progress, [] {});
    messages += run.messages;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(messages));
}

BENCHMARK(WriteBandwidth)
    ->ArgNames({"post_list", "signal_every", "queue_pairs"})
    ->Args({1, 100, 1})
    ->Args({1, 1, 1})
    ->Args({32, 32, 1})
    ->Args({1, 32, 64});

}  // namespace
}  // namespace rdmabench
