#include "report/sample_results.h"

#include <utility>

namespace rdmabench::report {
namespace {

Spread SpreadAround(double bytes_per_second) {
  return {.interval_count = 20,
          .interval_seconds = 0.1,
          .min_bytes_per_second = bytes_per_second * 0.96875,
          .peak_bytes_per_second = bytes_per_second * 1.015625,
          .stdev_bytes_per_second = bytes_per_second * 0.0078125,
          .batch_count = 20,
          .batch_correlation = 0.125,
          .ci95_low_bytes_per_second = bytes_per_second * 0.99609375,
          .ci95_high_bytes_per_second = bytes_per_second * 1.00390625};
}

void PutCost(Result& result) {
  result.cpu.client =
      CpuCost{.workers = CpuTime{.user_seconds = 1.96875, .system_seconds = 0.015625},
              .elapsed_seconds = 2.03125,
              .process = {.user_seconds = 1.984375, .system_seconds = 0.03125},
              .host_softirq_seconds = 0.25,
              .events = {{"user_cycles", 6'000'000'000},
                         {"kernel_cycles", 48'000'000},
                         {"user_instructions", 9'000'000'000},
                         {"kernel_instructions", 24'000'000}},
              .why_no_events = {}};
  result.cpu.server = CpuCost{.workers = CpuTime{.user_seconds = 2.0, .system_seconds = 0.0},
                              .elapsed_seconds = 2.0625,
                              .process = {.user_seconds = 2.0, .system_seconds = 0.0078125},
                              .host_softirq_seconds = {},
                              .events = {},
                              .why_no_events = "user_cycles: not permitted"};
  const double of_the_link = 12.254e9;
  result.bounds =
      Bounds{.limits = {{"link", of_the_link, "100 Gb/s, MTU 4096 B, RoCE v2 over IPv4"},
                        {"pcie_client", 28.8e9, "16 GT/s, 16 lanes, 256 B a packet"},
                        {"pcie_server", 28.8e9, "16 GT/s, 16 lanes, 256 B a packet"},
                        {"window", {}, "no round trip was measured before"}},
             .lowest = 0,
             .achieved_share = result.bandwidth->bytes_per_second / of_the_link};
}

}  // namespace

Result WriteBandwidth(std::uint64_t message_bytes, std::uint64_t messages) {
  Result result{.test = "write_bw", .op = "write", .metric = "bw", .qp_type = "rc"};
  result.message_bytes = message_bytes;
  result.messages = messages;
  result.bytes = messages * message_bytes;
  result.window_seconds = kSampleWindowSeconds;
  Direction& direction = result.traffic.emplace_back();
  direction.sent = {.messages = messages,
                    .bytes = result.bytes,
                    .window_seconds = kSampleWindowSeconds,
                    .completion_opcode = "rdma_write"};
  const double bytes_per_second = static_cast<double>(result.bytes) / kSampleWindowSeconds;
  result.bandwidth = Bandwidth{
      .bytes_per_second = bytes_per_second,
      .messages_per_second = static_cast<double>(messages) / kSampleWindowSeconds,
      .spread = {},
  };
  result.effective = {
      .mtu_bytes = 4096,
      .send_depth = 128,
      .post_list = 16,
      .signal_every = 16,
      .inline_bytes = 220,
      .inline_used = message_bytes <= 220,
      .iterations_per_queue_pair = {},
      .duration_seconds = kSampleWindowSeconds,
      .warmup_messages = 1000,
      .warmup_seconds = 0.0078125,
      .warmup_steady = true,
      .working_set_bytes = message_bytes * 256,
      .working_set_slots = 256,
      .completion_queues = 2,
      .relaxed_ordering = true,
      .client_gid = Gid{.index = 3, .type = "roce_v2", .text = "::ffff:192.168.77.1"},
      .server_gid = Gid{.index = 3, .type = "roce_v2", .text = "::ffff:192.168.77.2"},
  };
  return result;
}

Result SweepResult(std::uint64_t message_bytes, std::uint64_t messages) {
  Result result = WriteBandwidth(message_bytes, messages);
  result.queue_pairs = 2;
  result.threads = 2;
  result.effective.access = "random";
  result.effective.mr_per_qp = true;
  result.memory = {
      .client =
          Memory{.kind = "host", .registration = "by its virtual address", .page_bytes = 4096},
      .server = Memory{
          .kind = "huge2m", .registration = "by its virtual address", .page_bytes = 2097152}};
  result.bandwidth->spread = SpreadAround(result.bandwidth->bytes_per_second);
  result.intervals = {{0.0, 1.0, messages / 2}, {1.0, 1.0, messages / 2}};
  result.traffic[0].sent.messages_per_queue_pair = {messages / 2, messages / 2};
  result.traffic[0].sent.queue_turn = QueueTurn{.turn_ns = 31250.0, .refill_ns = 62.5};
  const auto sent = static_cast<double>(messages);
  result.checks = {
      {"messages_per_queue_pair_add_up", true, {{"messages", sent}, {"sum_messages", sent}}, ""},
      {"closing_flush",
       true,
       {{"flush_seconds", 0.000015625}},
       "the last message was acknowledged"},
  };
  result.counters.client = {{"port_xmit_data_bytes", static_cast<std::int64_t>(result.bytes)},
                            {"local_ack_timeout_err", 0}};
  result.counters.server = {{"port_rcv_data_bytes", static_cast<std::int64_t>(result.bytes)},
                            {"out_of_sequence", 0}};
  PutCost(result);
  return result;
}

// A small histogram, so that goldens stay readable; its figures are those of LatencyOf().
Result SendLatency() {
  Result result = WriteBandwidth(2, 1000);
  result.plan_index = 1;
  result.test = "send_lat";
  result.op = "send";
  result.metric = "lat";
  result.qp_type = "ud";
  result.bandwidth.reset();
  result.effective.recv_depth = 16;
  result.effective.recv_post_list = 4;
  result.traffic[0].sent.completion_opcode = "send";
  result.traffic[0].received =
      Traffic{.messages = 1000, .bytes = 2000, .window_seconds = 0.0, .completion_opcode = "recv"};
  result.latency = Latency{.basis = "half_round_trip",
                           .samples = 1000,
                           .kept_samples = 1000,
                           .min_ns = 1600.0,
                           .mean_ns = 1750.5,
                           .stdev_ns = 40.25,
                           .percentiles = {{50.0, 1700.0, {{1690.0, 1710.0}}},
                                           {90.0, 1800.0, {{1780.0, 1830.0}}},
                                           {99.0, 1900.0, {{1850.0, 1990.0}}},
                                           {99.9, 2100.0, {}},
                                           {99.99, {}, {}}},
                           .max_ns = 25000.0,
                           .lost_replies = 1,
                           .histogram = {{1600.0, 1601.0, 500}, {1800.0, 25000.0, 500}}};
  return result;
}

Result RareLatency() {
  Result result = SendLatency();
  result.message_bytes = 64;
  result.messages = result.latency->samples = 12;
  result.latency->kept_samples.reset();
  for (std::size_t i = 2; i < result.latency->percentiles.size(); ++i) {
    result.latency->percentiles[i].ns.reset();
    result.latency->percentiles[i].ci95.reset();
  }
  return result;
}

Result OpenLatency(double offered, bool saturated) {
  Result result = SendLatency();
  result.plan_index = 3;
  result.latency->basis = "round_trip";
  result.latency->lost_replies = 0;
  OpenLoop& open = result.open_loop.emplace();
  open.arrival = "poisson";
  open.seed = 7;
  open.planned_messages = saturated ? 4000 : 1000;
  open.offered_messages_per_second = offered;
  open.achieved_messages_per_second = 500.0;
  open.service = *result.latency;
  open.service.mean_ns -= 50.5;
  open.backlog_max = saturated ? 3000 : 2;
  open.backlog_end = saturated ? 3000 : 0;
  open.saturated = saturated;
  if (!saturated) return result;
  for (Latency* latency : {&*result.latency, &open.service}) {
    for (Percentile& percentile : latency->percentiles) {
      percentile = {.percent = percentile.percent};
    }
  }
  return result;
}

Slo SampleSlo() {
  return {.plan_index = 3,
          .test = "send_lat",
          .message_bytes = 2,
          .percentile = 99.0,
          .most_ns = 2000.0,
          .probes = 2,
          .highest_held_messages_per_second = 500.0,
          .lowest_failed_messages_per_second = 2000.0};
}

Result BothWays() {
  Result result = WriteBandwidth(4096, 2000);
  result.plan_index = 2;
  result.test = "send_bw";
  result.op = "send";
  result.bidirectional = true;
  result.clock_offset = ClockOffset{.seconds = -86400.25, .error_seconds = 0.0000625};
  result.shared_window =
      SharedWindow{.seconds = kSampleWindowSeconds, .share = 0.99609375, .used = true};
  result.effective.read_depth = 16;
  result.effective.planned_messages_per_second = 1000.0;
  result.effective.burst = 4;
  result.effective.arrival = "poisson";
  result.effective.arrival_seed = 18446744073709551615U;
  result.traffic[0].sent.messages = 1000;
  result.traffic[0].received = result.traffic[0].sent;
  Direction back = result.traffic[0];
  std::swap(back.from, back.to);
  result.traffic.push_back(back);
  return result;
}

Result LossySend(std::uint64_t message_bytes, const Delivery& delivery) {
  Result result = WriteBandwidth(message_bytes, 2000);
  result.plan_index = 4;
  result.test = "send_bw";
  result.op = "send";
  result.qp_type = "uc";
  Direction& direction = result.traffic[0];
  direction.sent.completion_opcode = "send";
  direction.received = direction.sent;
  direction.received->completion_opcode = "recv";
  direction.delivery = delivery;
  if (delivery.lost) {
    const std::uint64_t twice = delivery.arrivals ? delivery.arrivals->duplicated : 0;
    result.messages = direction.received->messages = 2000 - *delivery.lost + twice;
    result.bytes = direction.received->bytes = result.messages * message_bytes;
  } else {
    direction.received.reset();
    result.test = "write_bw";
    result.op = "write";
  }
  return result;
}

}  // namespace rdmabench::report
