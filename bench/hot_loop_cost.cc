// Runs the hot loop of one side of a test over fake verbs, for instruction_budget_test.py to count:
// a fixed number of messages with a given post list and signalling cadence, on one queue pair.
//
//   hot_loop_cost OP SIDE MESSAGES POST_LIST SIGNAL_EVERY
//
// SIDE is the one that is counted: of a bandwidth test "sender", or "receiver" of an op that takes
// receive requests, of messages with sequence numbers "numberer" and "tracker"; of a latency test,
// with an op whose completion is the answer, the one that measures: "pinger" records nothing,
// "recorder" round trips, "keeper" each of them by itself, too.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string_view>
#include <utility>

#include "bench/answers.h"
#include "bench/channel.h"
#include "bench/job_engines.h"
#include "bench/lanes.h"
#include "bench/loopback.h"
#include "bench/op.h"
#include "bench/ping.h"
#include "bench/sample_log.h"
#include "report/histogram.h"

namespace rdmabench {

// Messages a post of receive requests, and a credit: the default, a quarter of the queue.
constexpr std::uint32_t kReceiveChain = 128;

// What is collected, by this name.
[[gnu::noinline]] JobRun CountedRun(const std::function<JobRun()>& run) { return run(); }

namespace {

// Probe of a Ping.
struct Unrecorded {
  void Record(std::uint64_t /*ticks*/) const {}
};

// A probe out of line: the loop around it is the same machine code, whatever the probe does.
template <class Probe>
struct OutOfLine {
  Probe probe;

  [[gnu::noinline]] void Record(std::uint64_t ticks) {
    // So that a probe which does nothing is called with the same, and called at all.
    asm volatile("" : : "r"(this), "r"(ticks));
    probe.Record(ticks);
  }
};

template <class Probe>
JobRun CountedPing(Loopback& loopback, std::uint64_t messages, Probe probe) {
  OutOfLine<Probe> outside{std::move(probe)};
  const auto run = [&outside](const Bench& bench, const Job& job) {
    Ping<VerbsChannel, ByCompletion, OutOfLine<Probe>> ping({.messages = job.messages},
                                                            MakeLatencyLanes(bench.endpoint, job),
                                                            {}, bench.clock, outside);
    JobRun done;
    done.loop = Drive(
                    bench.clock, BusyPoll{}, bench.stop, bench.progress, [](std::size_t) {}, ping)
                    .loop();
    done.sent.messages = ping.completed();
    return done;
  };
  return CountedRun([&] { return loopback.Ping(messages, run); });
}

struct Side {
  std::string_view name;
  JobRun (*run)(Loopback& loopback, std::uint64_t messages);
  Numbering numbering = Numbering::kNone;
};

JobRun Sending(Loopback& loopback, std::uint64_t messages) {
  return CountedRun([&] { return loopback.Send(messages); });
}

JobRun Taking(Loopback& loopback, std::uint64_t messages) {
  JobRun sent = loopback.Send(messages);
  if (sent.loop.outcome != Outcome::kDone) return sent;
  return CountedRun([&] { return loopback.Take(messages); });
}

constexpr Side kSides[] = {
    {"sender", Sending},
    {"receiver", Taking},
    {"numberer", Sending, Numbering::kImmediate},
    {"tracker", Taking, Numbering::kImmediate},
    {"pinger",
     [](Loopback& loopback, std::uint64_t messages) {
       return CountedPing(loopback, messages, Unrecorded{});
     }},
    {"recorder",
     [](Loopback& loopback, std::uint64_t messages) {
       return CountedPing(loopback, messages, report::Histogram());
     }},
    {"keeper",
     [](Loopback& loopback, std::uint64_t messages) {
       report::Histogram histogram;
       SampleLog log(messages);
       return CountedPing(loopback, messages, RecordAndKeep{histogram, log});
     }},
};

int Main(char** argv) {
  const Op& op = FindOp(argv[1]);
  const std::string_view name = argv[2];
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
  for (const Side& side : kSides) {
    if (side.name != name) continue;
    Loopback loopback({.op = &op, .shape = shape, .receive = receive, .numbering = side.numbering});
    const JobRun run = side.run(loopback, messages);
    const std::uint64_t moved = std::max(run.sent.messages, run.received.messages);
    std::printf("%llu\n", static_cast<unsigned long long>(moved));
    return run.loop.outcome == Outcome::kDone ? 0 : 1;
  }
  return 2;
}

}  // namespace
}  // namespace rdmabench

int main(int argc, char** argv) {
  if (argc != 6) return 2;
  return rdmabench::Main(argv);
}
