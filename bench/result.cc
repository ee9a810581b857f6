#include "bench/result.h"

#include <vector>

#include "bench/shape.h"
#include "report/statistics.h"

namespace rdmabench {
namespace {

report::Effective DescribeEffective(const ResultContext& context, const SizeRun& run) {
  const RingShape& shape = context.agreement.shapes[context.size_index];
  const RunOptions& options = context.plan.run;
  report::Effective effective;
  effective.mtu_bytes = context.agreement.mtu_bytes;
  effective.send_depth = shape.window;
  effective.post_list = shape.post_list;
  effective.signal_every = shape.signal_every;
  effective.inline_bytes = context.endpoint.inline_bytes();
  effective.inline_used = run.inline_used;
  if (options.iterations) {
    effective.iterations_per_queue_pair = shape.WholeUnits(*options.iterations);
  } else {
    effective.duration_seconds = static_cast<double>(options.duration_ms) * 1e-3;
  }
  effective.warmup_messages = run.warmup_messages;
  effective.warmup_seconds = run.warmup_seconds;
  effective.working_set_bytes = LayoutFor(shape, context.plan.queue.queue_pairs).Bytes();
  effective.completion_queues = static_cast<std::uint32_t>(context.endpoint.send_cqs().size());
  effective.relaxed_ordering = context.plan.memory.relaxed_ordering.value_or(true);
  if (context.agreement.client_gid) {
    effective.client_gid = DescribeGid(*context.agreement.client_gid);
  }
  if (context.agreement.server_gid) {
    effective.server_gid = DescribeGid(*context.agreement.server_gid);
  }
  return effective;
}

std::vector<report::ProgressSample> SinceStart(const ResultContext& context, const SizeRun& run) {
  const double ns_per_tick = context.clock.NanosecondsPerTick();
  std::vector<report::ProgressSample> samples;
  for (const Sample& sample : run.samples) {
    if (sample.ticks < run.start_ticks) continue;
    samples.push_back({static_cast<double>(sample.ticks - run.start_ticks) * ns_per_tick * 1e-9,
                       sample.messages});
  }
  return samples;
}

}  // namespace

report::Result MakeResult(const ResultContext& context, const SizeRun& run) {
  const Test& test = FindTest(context.plan.test);
  const RingShape& shape = context.agreement.shapes[context.size_index];
  report::Result result;
  result.plan_index = context.plan_index;
  result.test = test.name;
  result.op = test.op->name;
  result.metric = MetricName(test.metric);
  result.qp_type = context.plan.queue.qp_type;
  result.message_bytes = shape.message_bytes;
  result.queue_pairs = context.plan.queue.queue_pairs;
  result.complete = run.complete;
  result.effective = DescribeEffective(context, run);
  result.window_seconds = run.window_seconds;
  result.messages = run.messages;
  result.bytes = run.messages * shape.message_bytes;
  const std::vector<report::ProgressSample> samples = SinceStart(context, run);
  const report::Measurement measurement{.messages = result.messages,
                                        .bytes = result.bytes,
                                        .window_seconds = result.window_seconds,
                                        .samples = samples,
                                        .rules = {.signal_every = shape.signal_every}};
  result.bandwidth = report::BandwidthOf(measurement);
  result.intervals = report::EqualIntervals(measurement);
  result.messages_per_queue_pair = run.messages_per_queue_pair;
  return result;
}

}  // namespace rdmabench
