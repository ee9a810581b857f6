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

std::uint32_t OdpRequests(const Test& test, const QueueOptions& queue, Role role) {
  const bool posts = DutyOf(test, queue, role).Posts();
  const bool peer_posts = DutyOf(test, queue, PeerOf(role)).Posts();
  const Op& op = *test.op;
  std::uint32_t requests = 0;
  if (posts || (peer_posts && op.peer_access != 0)) requests |= op.odp_request;
  if (peer_posts && op.TakesReceives()) {
    requests |= queue.use_srq ? IBV_ODP_SUPPORT_SRQ_RECV : IBV_ODP_SUPPORT_RECV;
  }
  return requests;
}

bool EndsWithClient(const TestPlan& plan) {
  return plan.run.until_interrupted || (plan.run.until_ci_percent && plan.queue.bidirectional);
}

}  // namespace rdmabench
