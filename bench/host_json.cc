#include "bench/host_json.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/pairing.h"
#include "bench/plan.h"
#include "report/json.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

constexpr std::uint64_t kMostU32 = 0xffffffff;
constexpr std::size_t kMostCpus = 65536;
constexpr double kLeast = 1e-6;  // what has to be above 0
constexpr double kMostLinkGbps = 1e6;
constexpr double kMostNsPerTick = 1e6;
constexpr double kMostGigatransfers = 1e4;
constexpr std::uint64_t kMostLanes = 64;
constexpr std::uint64_t kMostPcieBytes = 65536;

[[noreturn]] void RefuseWord(const JsonReader& reader, std::string_view key,
                             const std::string& word) {
  throw Error(Blame::kRun, reader.path() + "." + std::string(key) + " is '" + word + "'",
              "use the same version of rdmabench on both sides");
}

// One of the words that the report's schema has for the key.
std::string Word(JsonReader& reader, std::string_view key,
                 std::initializer_list<std::string_view> known) {
  std::string word = reader.Text(key);
  if (std::find(known.begin(), known.end(), word) == known.end()) RefuseWord(reader, key, word);
  return word;
}

std::string NotEmpty(JsonReader& reader, std::string_view key) {
  std::string text = reader.Text(key, 1024);
  if (text.empty()) throw Error(Blame::kRun, reader.path() + "." + std::string(key) + " is empty");
  return text;
}

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
  gid.type = Word(reader, "type", {"infiniband", "roce_v1", "roce_v2"});
  gid.text = NotEmpty(reader, "text");
  reader.Done();
  return gid;
}

report::Pcie ReadPcie(JsonReader reader) {
  report::Pcie pcie;
  pcie.gigatransfers_per_second =
      reader.Real("gigatransfers_per_second", kLeast, kMostGigatransfers);
  pcie.lanes = static_cast<std::uint32_t>(reader.Number("lanes", 1, kMostLanes));
  if (reader.Has("max_payload_bytes")) {
    pcie.max_payload_bytes =
        static_cast<std::uint32_t>(reader.Number("max_payload_bytes", 128, kMostPcieBytes));
  }
  reader.Done();
  return pcie;
}

report::Device ReadDevice(JsonReader reader) {
  report::Device device;
  device.name = NotEmpty(reader, "name");
  device.driver = MaybeText(reader, "driver");
  device.firmware = MaybeText(reader, "firmware");
  device.netdev = MaybeText(reader, "netdev");
  device.pcie_address = MaybeText(reader, "pcie_address");
  device.port = static_cast<int>(reader.Number("port", 1, 255));
  device.link_layer = Word(reader, "link_layer", {"infiniband", "ethernet"});
  if (reader.Has("link_gbps")) device.link_gbps = reader.Real("link_gbps", kLeast, kMostLinkGbps);
  if (reader.Has("data_gbps")) device.data_gbps = reader.Real("data_gbps", kLeast, kMostLinkGbps);
  if (reader.Has("pcie")) device.pcie = ReadPcie(reader.Object("pcie"));
  device.active_mtu_bytes =
      static_cast<std::uint32_t>(reader.Number("active_mtu_bytes", 256, 65536));
  if (reader.Has("lid")) device.lid = static_cast<std::uint32_t>(reader.Number("lid", 0, 65535));
  if (reader.Has("gid")) device.gid = ReadGid(reader.Object("gid"));
  reader.Done();
  return device;
}

std::vector<unsigned> SmallNumbers(JsonReader& reader, std::string_view key) {
  const std::vector<std::uint64_t> numbers = reader.Numbers(key, 0, kMostU32, kMostCpus);
  return {numbers.begin(), numbers.end()};
}

// What only shows in a run comes with its results.
report::Placement ReadPlacement(JsonReader reader) {
  report::Placement placement;
  placement.device_node = MaybeNumber(reader, "device_node");
  placement.worker_cpus = SmallNumbers(reader, "worker_cpus");
  if (reader.Has("worker_nodes")) placement.worker_nodes = SmallNumbers(reader, "worker_nodes");
  if (reader.Has("worker_cores")) {
    placement.worker_cores =
        static_cast<std::size_t>(reader.Number("worker_cores", 1, placement.worker_cpus.size()));
  }
  placement.session_cpu = MaybeNumber(reader, "session_cpu");
  placement.memory_node = MaybeNumber(reader, "memory_node");
  placement.distance = MaybeNumber(reader, "distance");
  if (reader.Has("reason")) placement.reason = reader.Text("reason", report::kMostReasonBytes);
  reader.Done();
  return placement;
}

report::HostRail ReadRail(JsonReader reader) {
  report::HostRail rail;
  rail.device = ReadDevice(reader.Object("device"));
  rail.placement = ReadPlacement(reader.Object("placement"));
  if (reader.Has("paired_by")) {
    rail.paired_by = reader.Text("paired_by");
    if (!FindPairedBy(rail.paired_by)) RefuseWord(reader, "paired_by", rail.paired_by);
  }
  reader.Done();
  return rail;
}

// All of several; a host says nothing of them where there is one.
void ReadRails(JsonReader& reader, report::Host& host) {
  if (!reader.Has("rails")) return;
  for (JsonReader& rail : reader.Objects("rails", kMostRails)) {
    host.rails.push_back(ReadRail(std::move(rail)));
  }
  if (host.rails.size() > 1) return;
  throw Error(Blame::kRun, reader.path() + ".rails are not several");
}

report::Clock ReadClock(JsonReader reader) {
  report::Clock clock;
  clock.source = Word(reader, "source", {"tsc", "cntvct", "clock_gettime"});
  clock.ns_per_tick = reader.Real("ns_per_tick", kLeast, kMostNsPerTick);
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
  host.role = Word(reader, "role", {"server"});
  host.name = NotEmpty(reader, "name");
  host.address = MaybeText(reader, "address");
  host.boot_id = MaybeText(reader, "boot_id");
  host.kernel = MaybeText(reader, "kernel");
  host.cpu = MaybeText(reader, "cpu");
  host.governor = MaybeText(reader, "governor");
  if (reader.Has("clock")) host.clock = ReadClock(reader.Object("clock"));
  if (reader.Has("device")) host.device = ReadDevice(reader.Object("device"));
  if (reader.Has("placement")) host.placement = ReadPlacement(reader.Object("placement"));
  ReadRails(reader, host);
  reader.Done();
  return host;
}

}  // namespace rdmabench
