#include "bench/result.h"

#include <algorithm>
#include <array>
#include <vector>

#include "bench/delivery.h"
#include "bench/open_result.h"
#include "bench/shape.h"
#include "bench/test_run.h"
#include "report/latency.h"
#include "report/statistics.h"

namespace rdmabench {
namespace {

// Indexes into the report's hosts, as Role says them.
constexpr std::size_t kHosts = 2;

// The initiator's account where there is one: warm-up and inline are the same on both sides.
const SideRun& Initiator(const SideRun& client, const SideRun* server) {
  return !client.sent && server != nullptr && server->sent ? *server : client;
}

report::Effective DescribeEffective(const ResultContext& context, const SideRun& initiator) {
  const RingShape& shape = context.agreement.shapes[context.size_index];
  const ReceiveShape& receive = context.agreement.receive;
  const TestPlan& plan = context.plan;
  const Test& test = FindTest(plan.test);
  report::Effective effective;
  effective.mtu_bytes = context.agreement.mtu_bytes;
  effective.send_depth = shape.window;
  if (receive.slot_bytes != 0) {
    effective.recv_depth = receive.depth;
    effective.recv_post_list = receive.chain;
  }
  if (test.op->IsBoundByReadDepth()) effective.read_depth = context.agreement.read_depth;
  effective.post_list = shape.post_list;
  effective.signal_every = shape.signal_every;
  effective.inline_bytes = initiator.inline_bytes;
  effective.inline_used = initiator.inline_used;
  if (plan.run.iterations) {
    effective.iterations_per_queue_pair = shape.WholeUnits(*plan.run.iterations);
  } else if (!plan.run.until_interrupted) {
    effective.duration_seconds = static_cast<double>(plan.run.duration_ms) * 1e-3;
  }
  if (test.metric == Metric::kBandwidth && plan.run.IsPaced()) effective.arrival = plan.run.arrival;
  if (test.metric == Metric::kBandwidth) effective.arrival_seed = initiator.arrival_seed;
  effective.warmup_messages = initiator.warmup_messages;
  effective.warmup_seconds = initiator.warmup_seconds;
  for (std::uint32_t i = 0; i < plan.queue.threads; ++i) {
    effective.working_set_bytes += LayoutFor(shape, QueuePairsOf(plan.queue, i)).Bytes();
  }
  effective.completion_queues = context.crew.completion_queues();
  effective.relaxed_ordering = context.crew.relaxed_ordering();
  if (context.agreement.client_gid) {
    effective.client_gid = DescribeGid(*context.agreement.client_gid);
  }
  if (context.agreement.server_gid) {
    effective.server_gid = DescribeGid(*context.agreement.server_gid);
  }
  return effective;
}

// From each side that has sent, with what the other one counted.
std::vector<report::Direction> Directions(const ResultContext& context, const SideRun& client,
                                          const SideRun* server) {
  const std::array<const SideRun*, kHosts> sides = {&client, server};
  std::vector<report::Direction> directions;
  for (std::size_t from = 0; from < kHosts; ++from) {
    const std::size_t to = 1 - from;
    if (sides[from] == nullptr || !sides[from]->sent) continue;
    report::Direction& direction = directions.emplace_back();
    direction.from = from;
    direction.to = to;
    direction.sent = *sides[from]->sent;
    if (sides[to] == nullptr) continue;
    direction.received = sides[to]->received;
    if (!sides[from]->complete || !sides[to]->complete) continue;
    direction.delivery =
        DeliveryOf(FindTest(context.plan.test), FindQpType(context.plan.queue.qp_type), direction,
                   sides[to]->arrivals);
  }
  return directions;
}

// Where messages may get lost, the sender's completions say only that they have left.
const report::Traffic& Headline(const report::Direction& direction, const QpType& type) {
  return type.loses && direction.received ? *direction.received : direction.sent;
}

void PutBandwidth(const ResultContext& context, const SideRun& client, const SideRun* server,
                  report::Result& result) {
  const QpType& type = FindQpType(context.plan.queue.qp_type);
  const RingShape& shape = context.agreement.shapes[context.size_index];
  // The side whose samples show how the headline came about: of one direction its counting end.
  const SideRun* sampled = &client;
  for (const report::Direction& direction : result.traffic) {
    const report::Traffic& counted = Headline(direction, type);
    result.messages += counted.messages;
    result.bytes += counted.bytes;
    // A receiver's window begins with its first message, which took its time, too.
    result.window_seconds =
        std::max({result.window_seconds, counted.window_seconds, direction.sent.window_seconds});
    const bool at_sender = &counted == &direction.sent;
    const std::size_t side = at_sender ? direction.from : direction.to;
    if (result.traffic.size() == 1 && side == 1) sampled = server;
  }
  std::vector<report::ProgressSample> samples;
  // With a receiver's count in it, the sum of a side is of both directions; else it is not known.
  if (sampled != nullptr && (result.traffic.size() == 1 || client.received)) {
    samples = sampled->samples;
  }
  const report::Measurement measurement{.messages = result.messages,
                                        .bytes = result.bytes,
                                        .window_seconds = result.window_seconds,
                                        .samples = samples,
                                        .rules = {.signal_every = shape.signal_every}};
  result.bandwidth = report::BandwidthOf(measurement);
  if (!samples.empty()) result.intervals = report::EqualIntervals(measurement);
}

void PutLatency(const ResultContext& context, const SideRun& initiator, report::Result& result) {
  if (!initiator.sent) return;
  result.messages = initiator.sent->messages;
  result.bytes = initiator.sent->bytes;
  result.window_seconds = initiator.sent->window_seconds;
  if (!initiator.round_trips) return;
  const RoundTrips& trips = *initiator.round_trips;
  result.latency = report::LatencyOf(trips.histogram, trips.ns_per_tick, BasisOf(context.plan),
                                     context.plan.run.percentiles);
  if (result.latency) result.latency->lost_replies = trips.lost;
  PutOpenLoop(context.plan, initiator, result);
}

}  // namespace

report::Result MakeResult(const ResultContext& context, const SideRun& client,
                          const SideRun* server) {
  const Test& test = FindTest(context.plan.test);
  const RingShape& shape = context.agreement.shapes[context.size_index];
  const SideRun& initiator = Initiator(client, server);
  report::Result result;
  result.plan_index = context.plan_index;
  result.test = test.name;
  result.op = test.op->name;
  result.metric = MetricName(test.metric);
  result.qp_type = context.plan.queue.qp_type;
  result.message_bytes = shape.message_bytes;
  result.queue_pairs = context.plan.queue.queue_pairs;
  result.threads = context.plan.queue.threads;
  result.bidirectional = context.plan.queue.bidirectional;
  if (context.plan.queue.reversed) std::swap(result.from, result.to);
  result.complete = client.complete && server != nullptr && server->complete;
  result.effective = DescribeEffective(context, initiator);
  result.traffic = Directions(context, client, server);
  result.counters.client = client.counters;
  if (client.complete) result.cpu.client = client.cpu;
  if (server != nullptr) {
    result.counters.server = server->counters;
    result.cpu.server = server->cpu;
  }
  if (test.metric == Metric::kBandwidth) {
    PutBandwidth(context, client, server, result);
  } else {
    PutLatency(context, initiator, result);
  }
  return result;
}

}  // namespace rdmabench
