#include "report/sample_reports.h"

#include <array>
#include <limits>
#include <utility>

#include "report/sample_results.h"

namespace rdmabench::report {
namespace {

Tool SampleTool() { return {.version = "0.1.0", .commit = "8c1f2ab"}; }

Host HardwareHost(const std::string& role, const std::string& name, const std::string& address) {
  const Gid gid{.index = 3, .type = "roce_v2", .text = "::ffff:" + address};
  return {
      .role = role,
      .name = name,
      .address = address,
      .boot_id = "0d5bf2b5-7a0c-4e0a-9c4b-" + name,
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
                             .worker_nodes = {0, 0},
                             .worker_cores = 2,
                             .ran_on_cpus = {2, 4},
                             .ran_on_nodes = {0, 0},
                             .session_cpu = 1,
                             .memory_node = 0,
                             .pages_on_node = 1.0,
                             .distance = 10,
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
                             .worker_cores = 1,
                             .session_cpu = 0,
                             .memory_node = {},
                             .reason = "the node of rxe0 is not known"},
  };
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
  report.slo[0].highest_held_result = 7;
  report.results.push_back(LossySend(4, {.lost = 0}));
  report.results.push_back(LossySend(
      64,
      {.lost = 20,
       .loss_ratio = 0.01,
       .arrivals = Arrivals{.duplicated = 2, .reordered = 5, .furthest_behind = 3, .late = 1}}));
  report.results.push_back(LossySend(64, {}));
  return report;
}

// One size in six runs, each of which ends when its mean is known, and one of them too late; and
// the latency of two runs.
Report Repeated() {
  Report report{.tool = SampleTool(), .started_at = "2025-06-01T12:00:00Z"};
  report.hosts = {SoftHost("client", "host-a", "10.0.0.1"),
                  SoftHost("server", "host-b", "10.0.0.2")};
  const std::uint64_t messages[] = {1600, 1640, 1584, 1616, 1632, 1200};
  for (std::uint32_t run = 1; run <= 6; ++run) {
    Result& result = report.results.emplace_back(WriteBandwidth(65536, messages[run - 1]));
    result.run = run;
    result.effective.duration_seconds.reset();
    result.until = Until{.ci_percent = 1.0,
                         .max_seconds = 60.0,
                         .reached = run != 6,
                         .half_width_percent = run == 6 ? 2.5 : 0.875};
    result.checks = {{.name = "interval_is_narrow",
                      .ok = run != 6,
                      .figures = {{"most_percent", 1.0}},
                      .text = run == 6 ? "--max-time was over first" : ""}};
    result.effective.warmup_steady = run != 1;
  }
  for (std::uint32_t run = 1; run <= 2; ++run) {
    Result& result = report.results.emplace_back(SendLatency());
    result.run = run;
    result.latency->percentiles.front().ns = 1600.0 + 100.0 * run;
  }
  return report;
}

// The host with a second device, in the other socket.
Host WithSecondDevice(Host host, const std::string& paired_by) {
  HostRail first{.device = *host.device, .placement = *host.placement, .paired_by = paired_by};
  HostRail second = first;
  second.device.name = "mlx5_1";
  second.device.netdev = "ens2f0np0";
  second.device.pcie_address = "0000:af:00.0";
  second.device.gid->text += "0";
  second.placement.device_node = second.placement.memory_node = 1;
  second.placement.worker_cpus = second.placement.ran_on_cpus = {10, 12};
  second.placement.worker_nodes = second.placement.ran_on_nodes = {1, 1};
  second.placement.reason = "mlx5_1 is at NUMA node 1";
  host.rails = {first, second};
  return host;
}

// Two devices at once, of which one carried three quarters.
Report OverRails() {
  Report report{.tool = SampleTool(), .started_at = "2025-06-01T12:00:00Z"};
  report.hosts = {WithSecondDevice(HardwareHost("client", "node-a", "192.168.77.1"), ""),
                  WithSecondDevice(HardwareHost("server", "node-b", "192.168.77.2"), "subnet")};
  Result result = SweepResult(65536, 368000);
  result.queue_pairs = result.threads = 4;
  for (const std::uint64_t messages : {std::uint64_t{276000}, std::uint64_t{92000}}) {
    const std::size_t place = result.rails.size();
    const double share = static_cast<double>(messages) / 368000.0;
    result.rails.push_back(
        {.client_device = report.hosts[0].rails[place].device.name,
         .server_device = report.hosts[1].rails[place].device.name,
         .mtu_bytes = 4096,
         .client_gid = report.hosts[0].rails[place].device.gid,
         .server_gid = report.hosts[1].rails[place].device.gid,
         .sent_messages = messages,
         .messages = messages,
         .bytes = messages * result.message_bytes,
         .bytes_per_second = result.bandwidth->bytes_per_second * share,
         .messages_per_second = result.bandwidth->messages_per_second * share,
         .counters = {.client = {{"port_xmit_packets", static_cast<std::int64_t>(messages) * 16}},
                      .server = {}}});
  }
  Result latency = SendLatency();
  latency.plan_index = 1;
  latency.queue_pairs = latency.threads = 2;
  latency.rails = result.rails;
  for (Rail& rail : latency.rails) {
    rail.messages = rail.sent_messages = 500;
    rail.bytes = 1000;
    rail.bytes_per_second.reset();
    rail.messages_per_second.reset();
    rail.counters = {};
  }
  report.results = {std::move(result), std::move(latency)};
  return report;
}

Failure StalledBesideFatal() {
  return {.host = "server",
          .step = "measuring send_bw at 65536 B",
          .code = "stalled",
          .message = "no completion for 10 s; local_ack_timeout_err moved by 7",
          .remedy = "check the link between the hosts, or raise --stall-timeout",
          .peer = Reason{.host = "client",
                         .step = "running",
                         .code = "IBV_EVENT_QP_FATAL",
                         .message = "rxe0 raised IBV_EVENT_QP_FATAL of queue pair 0x11",
                         .remedy = "dmesg"}};
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
  write.verification = Verification{.seed = 4000000001,
                                    .checked_messages = 1632,
                                    .bad_messages = 1,
                                    .first_bad = BadMessage{.host = 1,
                                                            .queue_pair = 0,
                                                            .message = 1000,
                                                            .offset_bytes = 4096,
                                                            .expected_hex = "1f2e3d4c5b6a7988",
                                                            .found_hex = "00112233445566ff",
                                                            .finding = "other_message",
                                                            .found_message = 936}};
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
                                .remedy = "ask for less"}},
                     {.plan_index = 3,
                      .test = "read_lat",
                      .error = {.host = "client",
                                .message = "the queue pair had failed before",
                                .peer = Reason{.host = "server", .message = "it is full"}}}};
  report.warnings = {"the governor of host-b is powersave: rates may vary"};
  report.error = StalledBesideFatal();
  return report;
}

// The same before its second test.
Report Running() {
  Report report = Partial();
  report.status = Status::kRunning;
  report.results.pop_back();
  report.failures.clear();
  report.error.reset();
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
  result.window_seconds = kSampleWindowSeconds;
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
    Sample{"complete", Complete}, Sample{"repeated", Repeated}, Sample{"rails", OverRails},
    Sample{"running", Running},   Sample{"partial", Partial},   Sample{"failed", Failed},
    Sample{"hostile", Hostile},
};

}  // namespace

std::span<const Sample> Samples() { return kSamples; }

}  // namespace rdmabench::report
