#include "bench/result.h"

#include <algorithm>
#include <array>
#include <vector>

#include "bench/both_directions.h"
#include "bench/delivery.h"
#include "bench/open_result.h"
#include "bench/rail_result.h"
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

std::string_view AccessOf(const RingShape& shape) {
  if (shape.Slots() == 1) return kSame;
  return shape.rules.random ? kRandom : kSequential;
}

report::Effective DescribeEffective(const ResultContext& context, const SideRun& initiator) {
  const RingShape& shape = context.agreement.shapes[context.size_index];
  const ReceiveShape& receive = context.agreement.receive;
  const TestPlan& plan = context.plan;
  const Test& test = FindTest(plan.test);
  report::Effective effective;
  const Path& path = context.agreement.paths.front();
  effective.mtu_bytes = context.agreement.SmallestMtu();
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
  } else if (!plan.run.until_interrupted && !plan.run.until_ci_percent) {
    effective.duration_seconds = static_cast<double>(plan.run.duration_ms) * 1e-3;
  }
  if (test.metric == Metric::kBandwidth && plan.run.IsPaced()) {
    effective.planned_messages_per_second = plan.run.rate.Of(shape.message_bytes);
    effective.burst = plan.run.burst.value_or(shape.post_list);
    effective.arrival = plan.run.arrival;
    effective.arrival_seed = initiator.arrival_seed;
  }
  effective.warmup_messages = initiator.warmup_messages;
  effective.warmup_seconds = initiator.warmup_seconds;
  effective.warmup_steady = initiator.warmup_steady;
  effective.access = AccessOf(shape);
  effective.working_set_slots = 0;
  for (std::uint32_t i = 0; i < plan.queue.threads; ++i) {
    const SlotLayout layout = LayoutFor(shape, QueuePairsOf(plan.queue, i));
    effective.working_set_bytes += layout.Bytes();
    effective.working_set_slots += layout.slots;
  }
  effective.completion_queues = context.crew.completion_queues();
  effective.relaxed_ordering = context.crew.relaxed_ordering();
  effective.mr_per_qp = plan.memory.mr_per_qp;
  if (path.client_gid) effective.client_gid = DescribeGid(*path.client_gid);
  if (path.server_gid) effective.server_gid = DescribeGid(*path.server_gid);
  return effective;
}

// Absent where the window was to end otherwise, and where it broke off.
std::optional<report::Until> DescribeUntil(const RunOptions& run, const SideRun& initiator) {
  if (!run.until_ci_percent || !initiator.until) return std::nullopt;
  return report::Until{.ci_percent = *run.until_ci_percent,
                       .max_seconds = static_cast<double>(run.LongestMs()) * 1e-3,
                       .reached = initiator.until->reached,
                       .half_width_percent = initiator.until->half_width_percent};
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

// What both sides have looked at.
std::optional<report::Verification> Verified(const SideRun& client, const SideRun* server) {
  std::optional<report::Verification> all = client.verification;
  if (server == nullptr || !server->verification) return all;
  report::Verification other = *server->verification;
  if (other.first_bad) other.first_bad->host = 1;
  if (!all) return other;
  *all += other;
  return all;
}

// Where messages may get lost, the sender's completions say only that they have left.
const report::Traffic& Headline(const report::Direction& direction, const QpType& type) {
  return type.loses && direction.received ? *direction.received : direction.sent;
}

struct Moved {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  double window_seconds = 0.0;
  std::vector<report::ProgressSample> samples = {};
};

// A receiver's window begins with its first message, which took its time, too.
Moved OneWay(const report::Direction& direction, const QpType& type, const SideRun& client,
             const SideRun* server) {
  const report::Traffic& counted = Headline(direction, type);
  const std::size_t side = &counted == &direction.sent ? direction.from : direction.to;
  const SideRun* counting = side == 0 ? &client : server;
  return {.messages = counted.messages,
          .bytes = counted.bytes,
          .window_seconds = std::max(counted.window_seconds, direction.sent.window_seconds),
          .samples = counting->samples};
}

Moved BothWays(const QpType& type, const SideRun& client, const SideRun& server,
               report::Result& result) {
  const bool at_receiver = type.loses && client.received && server.received;
  const BothDirections both = SumOf(client, server, at_receiver, *client.clock_offset);
  result.clock_offset = client.clock_offset;
  result.shared_window = both.shared;
  return {.messages = both.messages,
          .bytes = both.messages * result.message_bytes,
          .window_seconds = both.window_seconds,
          .samples = both.samples};
}

void PutBandwidth(const ResultContext& context, const SideRun& client, const SideRun* server,
                  report::Result& result) {
  if (result.traffic.empty()) return;
  const QpType& type = FindQpType(context.plan.queue.qp_type);
  const RingShape& shape = context.agreement.shapes[context.size_index];
  const bool has_both = result.traffic.size() == kHosts && client.clock_offset;
  Moved moved = has_both ? BothWays(type, client, *server, result)
                         : OneWay(result.traffic.front(), type, client, server);
  // Of two directions, of which one broke off, a side may have sampled the other one.
  if (result.bidirectional && !has_both) moved.samples.clear();
  result.messages = moved.messages;
  result.bytes = moved.bytes;
  result.window_seconds = moved.window_seconds;
  const report::Measurement measurement{.messages = moved.messages,
                                        .bytes = moved.bytes,
                                        .window_seconds = moved.window_seconds,
                                        .samples = moved.samples,
                                        .rules = {.signal_every = shape.signal_every}};
  result.bandwidth = report::BandwidthOf(measurement);
  if (!moved.samples.empty()) result.intervals = report::EqualIntervals(measurement);
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
  if (context.plan.run.runs > 1) result.run = context.run;
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
  result.memory.client = client.memory;
  if (server != nullptr) result.memory.server = server->memory;
  result.until = DescribeUntil(context.plan.run, initiator);
  result.traffic = Directions(context, client, server);
  result.verification = Verified(client, server);
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
  PutRails(context, client, server, result);
  return result;
}

}  // namespace rdmabench
