// Wall time of the hot loop over fake verbs: for comparing two versions of it on one machine, never
// as a figure of a network.

#include <benchmark/benchmark.h>

#include "bench/loopback.h"
#include "bench/op.h"

namespace rdmabench {
namespace {

void Bandwidth(benchmark::State& state, const char* op) {
  constexpr std::uint64_t kMessages = 100'000;
  const RingShape shape{.message_bytes = 64,
                        .window = 128,
                        .post_list = static_cast<std::uint32_t>(state.range(0)),
                        .signal_every = static_cast<std::uint32_t>(state.range(1))};
  const auto queue_pairs = static_cast<std::uint32_t>(state.range(2));
  Loopback loopback({.op = &FindOp(op), .shape = shape, .queue_pairs = queue_pairs});
  std::uint64_t messages = 0;
  for (auto step : state) messages += loopback.Send(kMessages / queue_pairs).sent.messages;
  state.SetItemsProcessed(static_cast<std::int64_t>(messages));
}

void WriteBandwidth(benchmark::State& state) { Bandwidth(state, "write"); }
void ReadBandwidth(benchmark::State& state) { Bandwidth(state, "read"); }

BENCHMARK(WriteBandwidth)
    ->ArgNames({"post_list", "signal_every", "queue_pairs"})
    ->Args({1, 100, 1})
    ->Args({1, 1, 1})
    ->Args({32, 32, 1})
    ->Args({1, 32, 64});

BENCHMARK(ReadBandwidth)->ArgNames({"post_list", "signal_every", "queue_pairs"})->Args({1, 1, 1});

}  // namespace
}  // namespace rdmabench
