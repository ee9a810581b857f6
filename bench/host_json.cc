#include "bench/host_json.h"

#include <nlohmann/json.hpp>

#include "report/json.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

constexpr std::uint64_t kMostU32 = 0xffffffff;
constexpr std::size_t kMostCpus = 65536;
constexpr double kMostLinkGbps = 1e6;
constexpr double kMostNsPerTick = 1e6;

std::optional<std::string> MaybeText(JsonReader& reader, std::string_view key) {
  if (!reader.Has(key)) return std::nullopt;
  return reader.Text(key, 1024);
}

std::optional<unsigned> MaybeNumber(JsonReader& reader, std::string_view key) {
  if (!reader.Has(key)) return std::nullopt;
  return static_cast<unsigned>(reader.Number(key, 0, kMostU32));
}

report::Gid ReadGid(JsonReader reader) {
  report::Gid gid;
  gid.index = static_cast<int>(reader.Number("index", 0, 65535));
  gid.type = reader.Text("type");
  gid.text = reader.Text("text");
  reader.Done();
  return gid;
}

report::Device ReadDevice(JsonReader reader) {
  report::Device device;
  device.name = reader.Text("name");
  device.driver = MaybeText(reader, "driver");
  device.firmware = MaybeText(reader, "firmware");
  device.netdev = MaybeText(reader, "netdev");
  device.pcie_address = MaybeText(reader, "pcie_address");
  device.port = static_cast<int>(reader.Number("port", 1, 255));
  device.link_layer = reader.Text("link_layer");
  if (reader.Has("link_gbps")) device.link_gbps = reader.Real("link_gbps", 0.0, kMostLinkGbps);
  device.active_mtu_bytes = static_cast<std::uint32_t>(reader.Number("active_mtu_bytes", 0, 65536));
  device.lid = MaybeNumber(reader, "lid");
  if (reader.Has("gid")) device.gid = ReadGid(reader.Object("gid"));
  reader.Done();
  return device;
}

report::Placement ReadPlacement(JsonReader reader) {
  report::Placement placement;
  placement.device_node = MaybeNumber(reader, "device_node");
  for (const std::uint64_t cpu : reader.Numbers("worker_cpus", 0, kMostU32, kMostCpus)) {
    placement.worker_cpus.push_back(static_cast<unsigned>(cpu));
  }
  placement.session_cpu = MaybeNumber(reader, "session_cpu");
  placement.memory_node = MaybeNumber(reader, "memory_node");
  placement.reason = MaybeText(reader, "reason").value_or("");
  reader.Done();
  return placement;
}

report::Clock ReadClock(JsonReader reader) {
  report::Clock clock;
  clock.source = reader.Text("source");
  clock.ns_per_tick = reader.Real("ns_per_tick", 0.0, kMostNsPerTick);
  if (reader.Has("drift_ppm")) clock.drift_ppm = reader.Real("drift_ppm", -1e6, 1e6);
  reader.Done();
  return clock;
}

}  // namespace

nlohmann::json HostToJson(const report::Host& host) {
  return nlohmann::json::parse(report::RenderHost(host));
}

report::Host HostFromJson(const nlohmann::json& json) {
  JsonReader reader(json, "host");
  report::Host host;
  host.role = reader.Text("role");
  host.name = reader.Text("name");
  host.address = MaybeText(reader, "address");
  host.kernel = MaybeText(reader, "kernel");
  host.cpu = MaybeText(reader, "cpu");
  host.governor = MaybeText(reader, "governor");
  if (reader.Has("clock")) host.clock = ReadClock(reader.Object("clock"));
  if (reader.Has("device")) host.device = ReadDevice(reader.Object("device"));
  if (reader.Has("placement")) host.placement = ReadPlacement(reader.Object("placement"));
  reader.Done();
  return host;
}

}  // namespace rdmabench
