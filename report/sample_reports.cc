#include "report/sample_reports.h"

#include <array>
#include <limits>
#include <utility>

namespace rdmabench::report {
namespace {

constexpr double kWindowSeconds = 2.0;

Tool SampleTool() { return {.version = "0.1.0", .commit = "8c1f2ab"}; }

Host HardwareHost(const std::string& role, const std::string& name, const std::string& address) {
  const Gid gid{.index = 3, .type = "roce_v2", .text = "::ffff:" + address};
  return {
      .role = role,
      .name = name,
      .address = address,
      .kernel = "Linux 6.1.0-34-amd64 x86_64",
      .cpu = "Intel(R) Xeon(R) Gold 6430",
      .governor = "performance",
      .clock = Clock{.source = "tsc", .ns_per_tick = 0.5, .drift_ppm = 1.25},
      .device =
          Device{
              .name = "mlx5_0",
              .driver = "mlx5_core",
              .firmware = "28.39.1002",
              .netdev = "ens1f0np0",
              .pcie_address = "0000:3b:00.0",
              .port = 1,
              .link_layer = "ethernet",
              .link_gbps = 100.0,
              .data_gbps = 100.0,
              .pcie = Pcie{.gigatransfers_per_second = 16.0, .lanes = 16, .max_payload_bytes = 256},
              .active_mtu_bytes = 4096,
              .lid = {},
              .gid = gid},
      .placement = Placement{.device_node = 0,
                             .worker_cpus = {2, 4},
                             .session_cpu = 1,
                             .memory_node = 0,
                             .reason = "mlx5_0 is at NUMA node 0; its cores but core 0 are free"},
  };
}

Host SoftHost(const std::string& role, const std::string& name, const std::string& address) {
  return {
      .role = role,
      .name = name,
      .address = address,
      .kernel = "Linux 6.1.0-34-amd64 x86_64",
      .cpu = {},
      .governor = {},
      .clock = Clock{.source = "clock_gettime", .ns_per_tick = 1.0, .drift_ppm = {}},
      .device = Device{.name = "rxe0",
                       .driver = "rdma_rxe",
                       .firmware = "",
                       .netdev = "eth1",
                       .pcie_address = {},
                       .port = 1,
                       .link_layer = "ethernet",
                       .link_gbps = {},
                       .active_mtu_bytes = 1024,
                       .lid = {},
                       .gid = Gid{.index = 1, .type = "roce_v2", .text = "::ffff:" + address}},
      .placement = Placement{.device_node = {},
                             .worker_cpus = {1},
                             .session_cpu = 0,
                             .memory_node = {},
                             .reason = "the node of rxe0 is not known"},
  };
}

Spread SpreadAround(double bytes_per_second) {
  return {.interval_count = 20,
          .interval_seconds = 0.1,
          .min_bytes_per_second = bytes_per_second * 0.96875,
          .peak_bytes_per_second = bytes_per_second * 1.015625,
          .stdev_bytes_per_second = bytes_per_second * 0.0078125,
          .ci95_low_bytes_per_second = bytes_per_second * 0.99609375,
          .ci95_high_bytes_per_second = bytes_per_second * 1.00390625};
}

Result WriteBandwidth(std::uint64_t message_bytes, std::uint64_t messages) {
  Result result{.test = "write_bw", .op = "write", .metric = "bw", .qp_type = "rc"};
  result.message_bytes = message_bytes;
  result.messages = messages;
  result.bytes = messages * message_bytes;
  result.window_seconds = kWindowSeconds;
  Direction& direction = result.traffic.emplace_back();
  direction.sent = {.messages = messages,
                    .bytes = result.bytes,
                    .window_seconds = kWindowSeconds,
                    .completion_opcode = "rdma_write"};
  const double bytes_per_second = static_cast<double>(result.bytes) / kWindowSeconds;
  result.bandwidth = Bandwidth{
      .bytes_per_second = bytes_per_second,
      .messages_per_second = static_cast<double>(messages) / kWindowSeconds,
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
      .duration_seconds = kWindowSeconds,
      .warmup_messages = 1000,
      .warmup_seconds = 0.0078125,
      .working_set_bytes = message_bytes * 256,
      .completion_queues = 2,
      .relaxed_ordering = true,
      .client_gid = Gid{.index = 3, .type = "roce_v2", .text = "::ffff:192.168.77.1"},
      .server_gid = Gid{.index = 3, .type = "roce_v2", .text = "::ffff:192.168.77.2"},
  };
  return result;
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

Result SweepResult(std::uint64_t message_bytes, std::uint64_t messages) {
  Result result = WriteBandwidth(message_bytes, messages);
  result.queue_pairs = 2;
  result.threads = 2;
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

// So few samples that they do not back the higher percentiles.
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

// A rate that was kept up with, and one that was not.
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
  result.effective.read_depth = 16;
  result.effective.arrival = "poisson";
  result.effective.arrival_seed = 18446744073709551615U;
  result.traffic[0].sent.messages = 1000;
  result.traffic[0].received = result.traffic[0].sent;
  Direction back = result.traffic[0];
  std::swap(back.from, back.to);
  result.traffic.push_back(back);
  return result;
}

// Of each kind of what may be known of a delivery.
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

Report Complete() {
  Report report{.tool = SampleTool(), .started_at = "2025-06-01T12:00:00Z"};
  report.plan_json =
      R"({"tests":[{"test":"write_bw","sizes":[64,4096,65536,1048576],"queue_pairs":2}]})";
  report.hosts = {HardwareHost("client", "node-a", "192.168.77.1"),
                  HardwareHost("server", "node-b", "192.168.77.2")};
  report.results = {SweepResult(64, 48000000),
                    SweepResult(4096, 5600000),
                    SweepResult(65536, 368000),
                    SweepResult(1048576, 23200),
                    SendLatency(),
                    RareLatency(),
                    BothWays(),
                    OpenLatency(500.0, false),
                    OpenLatency(2000.0, true)};
  report.slo = {SampleSlo()};
  report.results.push_back(LossySend(4, {.lost = 0}));
  report.results.push_back(LossySend(
      64,
      {.lost = 20,
       .loss_ratio = 0.01,
       .arrivals = Arrivals{.duplicated = 2, .reordered = 5, .furthest_behind = 3, .late = 1}}));
  report.results.push_back(LossySend(64, {}));
  return report;
}

Report Partial() {
  Report report{.tool = SampleTool(), .started_at = "2025-06-01T12:00:00Z"};
  report.status = Status::kPartial;
  report.plan_json = R"({"tests":[{"test":"write_bw"},{"test":"send_bw"}]})";
  report.hosts = {SoftHost("client", "host-a", "10.0.0.1"),
                  SoftHost("server", "host-b", "10.0.0.2")};
  Result write = WriteBandwidth(65536, 1632);
  write.effective.mtu_bytes = 1024;
  write.effective.client_gid = report.hosts[0].device->gid;
  write.effective.server_gid = report.hosts[1].device->gid;
  write.checks = {{"wire_bytes_cover_payload",
                   false,
                   {{"payload_bytes", 106954752.0}, {"port_xmit_data_bytes", 53477376.5}},
                   "the port counted fewer bytes than were sent"}};
  write.bounds = Bounds{
      .limits = {{"link", std::nullopt, "neither rdma_rxe nor its interface tells its speed"}}};
  Result send = WriteBandwidth(65536, 64);
  send.plan_index = 1;
  send.test = "send_bw";
  send.op = "send";
  send.qp_type = "uc";
  send.complete = false;
  send.from = 1;
  send.to = 0;
  send.bandwidth.reset();
  send.effective = {.mtu_bytes = 1024, .send_depth = 64, .iterations_per_queue_pair = 1000};
  report.results = {write, send};
  report.failures = {{.plan_index = 2,
                      .test = "read_bw",
                      .error = {.host = "server",
                                .step = "agreeing on the plan",
                                .message = "the server allows 4 queue pairs a client, asked were 8",
                                .remedy = "ask for less"}}};
  report.warnings = {"the governor of host-b is powersave: rates may vary"};
  report.error = Failure{.host = "server",
                         .step = "measuring send_bw at 65536 B",
                         .message = "no completion for 10 s; local_ack_timeout_err moved by 7",
                         .remedy = "check the link between the hosts, or raise --stall-timeout"};
  return report;
}

Report Failed() {
  Report report{.tool = SampleTool(), .started_at = "2025-06-01T12:00:00Z"};
  report.status = Status::kFailed;
  report.hosts = {{.role = "client", .name = "host-a"}};
  report.hosts[0].device = Device{.name = "mlx5_2",
                                  .link_layer = "infiniband",
                                  .link_gbps = 200.0,
                                  .active_mtu_bytes = 4096,
                                  .lid = 5};
  report.error = Failure{.host = {},
                         .step = {},
                         .message = "cannot connect to host-b port 18515: Connection refused",
                         .remedy = "start `rdmabench server` on host-b"};
  return report;
}

// What a hostile or broken peer could send: ill-formed UTF-8, terminal control, separators of every
// format.
Report Hostile() {
  Report report{.tool = SampleTool(), .started_at = "2025-06-01T12:00:00Z"};
  report.tool.commit = "unknown";
  report.status = Status::kPartial;
  report.plan_json = std::string(100, '[') + std::string(100, ']');
  report.hosts = {{.role = "client", .name = "a,\"b\"\nc"},
                  {.role = "server", .name = "\x1b]0;owned\x07\xff\xfe"}};
  Result result = WriteBandwidth(8, 100);
  result.window_seconds = kWindowSeconds;
  result.to = 7;
  // The mark that turns the direction of writing, in two parts for those who read this source.
  result.effective.client_gid->text = std::string("\xe2\x80") + "\xae::1";
  result.checks = {
      {"x\n", false, {{"nan", std::numeric_limits<double>::infinity()}, {"n", 0.1}}, "\t"}};
  result.counters.client = {{"\xc3", -1}};
  report.results = {result};
  report.warnings = {std::string("nul\0byte", 8), "=cmd|' /C calc'!A0", "Zürich 東京"};
  report.error =
      Failure{.host = "s\r\n", .step = "{}", .message = "<b>&\\\"", .remedy = "\xed\xa0\x80"};
  return report;
}

constexpr std::array kSamples = {
    Sample{"complete", Complete},
    Sample{"partial", Partial},
    Sample{"failed", Failed},
    Sample{"hostile", Hostile},
};

}  // namespace

std::span<const Sample> Samples() { return kSamples; }

}  // namespace rdmabench::report
