#include "bench/duty.h"

namespace rdmabench {

Role PeerOf(Role role) { return role == Role::kClient ? Role::kServer : Role::kClient; }

Duty DutyOf(const Test& test, const QueueOptions& queue, Role role) {
  const Role first = queue.reversed ? Role::kServer : Role::kClient;
  const bool initiates = role == first || queue.bidirectional;
  const bool answers = role != first || queue.bidirectional;
  if (test.metric == Metric::kBandwidth) {
    return {.streams = initiates, .sinks = answers && test.op->TakesReceives()};
  }
  return {.pings = initiates, .echoes = answers && test.op->reply != Reply::kCompletion};
}

bool EndsWithClient(const TestPlan& plan) {
  return plan.run.until_interrupted || (plan.run.until_ci_percent && plan.queue.bidirectional);
}

}  // namespace rdmabench
