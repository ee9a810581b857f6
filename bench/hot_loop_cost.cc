// Runs the hot loop of one side of a bandwidth test over fake verbs, for instruction_budget_test.py
// to count: a fixed number of messages with a given post list and signalling cadence, on one queue
// pair.
//
//   hot_loop_cost OP SIDE MESSAGES POST_LIST SIGNAL_EVERY
//
// SIDE is the one that is counted: "sender", or "receiver" of an op that takes receive requests.

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "bench/loopback.h"
#include "bench/op.h"

namespace rdmabench {

// Messages a post of receive requests, and a credit: the default, a quarter of the queue.
constexpr std::uint32_t kReceiveChain = 128;

// What is collected, by this name.
[[gnu::noinline]] JobRun CountedRun(Loopback& loopback, bool sends, std::uint64_t messages) {
  return sends ? loopback.Send(messages) : loopback.Take(messages);
}

namespace {

int Main(char** argv) {
  const Op& op = FindOp(argv[1]);
  const bool sends = std::string_view(argv[2]) == "sender";
  const std::uint64_t messages = std::strtoull(argv[3], nullptr, 10);
  const RingShape shape{.message_bytes = 64,
                        .window = 128,
                        .post_list = static_cast<std::uint32_t>(std::atoi(argv[4])),
                        .signal_every = static_cast<std::uint32_t>(std::atoi(argv[5]))};
  ReceiveShape receive;
  if (op.TakesReceives()) {
    const auto whole = static_cast<std::uint32_t>(shape.WholeUnits(messages));
    receive = {.depth = (whole + kReceiveChain - 1) / kReceiveChain * kReceiveChain,
               .chain = kReceiveChain,
               .slot_bytes = shape.message_bytes};
  }
  Loopback loopback({.op = &op, .shape = shape, .receive = receive});
  if (!sends && loopback.Send(messages).loop.outcome != Outcome::kDone) return 1;
  const JobRun run = CountedRun(loopback, sends, messages);
  std::printf("%llu\n",
              static_cast<unsigned long long>(sends ? run.sent.messages : run.received.messages));
  return run.loop.outcome == Outcome::kDone ? 0 : 1;
}

}  // namespace
}  // namespace rdmabench

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  return rdmabench::Main(argv);
}
