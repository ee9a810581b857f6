#include "bench/open_loop.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "bench/arrivals.h"
#include "bench/op.h"
#include "bench/test.h"
#include "transport/error.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

[[noreturn]] void Refuse(const std::string& message, const std::string& remedy) {
  throw Error(Blame::kUsage, message, remedy);
}

std::string Text(std::uint64_t number) { return std::to_string(number); }

// A percentile that a run cannot tell, however good the fabric, is no objective for it.
void ValidateObjective(const TestPlan& test) {
  const RunOptions& run = test.run;
  if (*run.slo_percentile <= 0.0 || *run.slo_percentile >= 100.0) {
    Refuse("--slo has a percentile that is not between 0 and 100", "give one such as p99=50us");
  }
  constexpr double kRounding = 1e-6;
  const auto needed =
      static_cast<std::uint64_t>(std::ceil(SamplesFor(*run.slo_percentile) - kRounding));
  std::uint64_t messages = needed;
  if (run.iterations) {
    messages = *run.iterations * test.queue.queue_pairs;
  } else if (!run.rate_sweep.empty()) {
    messages =
        *std::min_element(run.rate_sweep.begin(), run.rate_sweep.end()) * run.duration_ms / 1000;
  }
  if (messages >= needed) return;
  Refuse("--slo needs " + Text(needed) + " messages at each rate to tell its percentile, and the " +
             "lowest has " + Text(messages),
         "raise --duration or --iters, or begin at a higher rate");
}

}  // namespace

bool IsOpenLoop(const TestPlan& test) {
  return FindTest(test.test).metric == Metric::kLatency && test.run.IsPaced();
}

bool NamesSlots(const TestPlan& test) {
  return IsOpenLoop(test) &&
         (FindTest(test.test).op->reply == Reply::kMemory || FindQpType(test.queue.qp_type).loses);
}

bool NamesSlotsInPayload(const TestPlan& test) {
  const Op& op = *FindTest(test.test).op;
  return NamesSlots(test) && op.reply == Reply::kReceive && !op.immediate;
}

double SamplesFor(double percentile) {
  constexpr double kMargin = 1.25;
  return kMargin * static_cast<double>(report::kFewestBeyond) / (1.0 - percentile / 100.0);
}

void ValidatePlannedTimes(const TestPlan& test) {
  if (std::find(kArrivals.begin(), kArrivals.end(), test.run.arrival) == kArrivals.end()) {
    Refuse("--arrival '" + test.run.arrival + "' is not known", "known are const and poisson");
  }
  if (test.run.slo_percentile) ValidateObjective(test);
  if (!NamesSlotsInPayload(test)) return;
  for (const std::uint64_t bytes : test.run.message_bytes) {
    if (bytes >= kNameBytes) continue;
    Refuse(
        "--size " + Text(bytes) + " does not go with a rate on --connection " + test.queue.qp_type,
        "a message says in its last " + Text(kNameBytes) + " bytes which it is");
  }
  if (test.queue.send_depth.value_or(1) <= kMostNamedSlots) return;
  Refuse("--tx-depth " + Text(*test.queue.send_depth) +
             " does not go with a rate on --connection " + test.queue.qp_type,
         "a byte of payload tells the messages under way apart: use " + Text(kMostNamedSlots) +
             " or less, or an operation with immediate");
}

}  // namespace rdmabench
