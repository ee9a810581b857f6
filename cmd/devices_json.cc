#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cmd/device_listing.h"
#include "report/version.h"

namespace rdmabench {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchemaVersion = 1;  // of devices_schema.json

// What is not known has no key.
void Put(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

template <class Number>
void Put(Json& object, const char* key, const std::optional<Number>& number) {
  if (number) object[key] = *number;
}

void Put(Json& object, const char* key, const std::optional<PcieLink>& link) {
  if (!link) return;
  Json fields = {{"gigatransfers_per_second", link->gigatransfers_per_second}};
  Put(fields, "generation", PcieGeneration(*link));
  fields["lanes"] = link->lanes;
  object[key] = std::move(fields);
}

Json PcieJson(const DeviceInfo& device) {
  Json object = Json::object();
  if (device.pcie_path.empty()) return object;
  Put(object, "now", device.pcie_path.front().now);
  Put(object, "at_most", device.pcie_path.front().most);
  if (const PcieHop* slowest = Bottleneck(device)) {
    Put(object, "slowest_hop", slowest->now);
    object["slowest_hop"]["address"] = slowest->address;
  }
  return object;
}

Json LimitsJson(const ListedDevice& device) {
  const DeviceLimits& limits = device.info.limits;
  Json object = {{"queue_pairs", limits.max_qp},
                 {"requests_per_queue", limits.max_qp_wr},
                 {"requests_per_shared_receive_queue", limits.max_srq_wr},
                 {"completion_queues", limits.max_cq},
                 {"completion_queue_entries", limits.max_cqe},
                 {"pieces_per_request", limits.max_sge}};
  Put(object, "inline_bytes", device.max_inline_bytes);
  object["reads_as_initiator"] = limits.max_init_rd_atom;
  object["reads_as_target"] = limits.max_rd_atom;
  object["memory_regions"] = limits.max_mr;
  object["memory_region_bytes"] = limits.max_mr_bytes;
  object["atomics"] = limits.atomics;
  return object;
}

Json PortJson(const DeviceInfo& device, const PortInfo& port) {
  Json object = {
      {"port", port.number}, {"state", PortStateName(port.state)}, {"link_layer", port.link_layer}};
  Put(object, "netdev", NetdevOf(device, port));
  Put(object, "link_gbps", port.link_gbps);
  Put(object, "lane", port.link_lane);
  if (port.link_lanes != 0) object["lanes"] = port.link_lanes;
  Put(object, "data_gbps", port.data_gbps);
  object["active_mtu_bytes"] = port.active_mtu_bytes;
  object["max_mtu_bytes"] = port.max_mtu_bytes;
  if (port.lid != 0) object["lid"] = port.lid;
  Json gids = Json::array();
  for (const Gid& gid : port.gids) {
    Json entry = {{"index", gid.index}, {"type", GidTypeName(gid.type)}, {"text", gid.Text()}};
    Put(entry, "netdev", gid.netdev);
    gids.push_back(std::move(entry));
  }
  object["gids"] = std::move(gids);
  return object;
}

Json DeviceJson(const ListedDevice& device) {
  const DeviceInfo& info = device.info;
  Json object = {{"name", info.name}};
  Put(object, "driver", info.driver);
  Put(object, "firmware", info.firmware);
  Put(object, "netdev", info.netdev);
  Put(object, "pcie_address", info.pcie_address.value_or(""));
  if (Json pcie = PcieJson(info); !pcie.empty()) object["pcie"] = std::move(pcie);
  Put(object, "numa_node", device.numa_node);
  object["local_cpus"] = device.local_cpus;
  object["limits"] = LimitsJson(device);
  Json kinds = Json::array();
  for (const KindAvailability& kind : device.memory_kinds) {
    Json entry = {{"name", kind.name}, {"available", !kind.why_not}};
    Put(entry, "reason", kind.why_not.value_or(""));
    Put(entry, "amount", kind.amount);
    kinds.push_back(std::move(entry));
  }
  object["memory_kinds"] = std::move(kinds);
  Json ports = Json::array();
  for (const PortInfo& port : info.ports) ports.push_back(PortJson(info, port));
  object["ports"] = std::move(ports);
  return object;
}

Json SkippedJson(const Error& error) {
  Json object = {{"reason", error.what()}};
  Put(object, "remedy", error.remedy());
  return object;
}

}  // namespace

std::string DevicesJson(const DeviceListing& listing) {
  Json document = {
      {"schema_version", kSchemaVersion},
      {"tool", {{"name", "rdmabench"}, {"version", kVersion}, {"commit", BuildCommit()}}}};
  Json devices = Json::array();
  for (const ListedDevice& device : listing.devices) devices.push_back(DeviceJson(device));
  document["devices"] = std::move(devices);
  Json skipped = Json::array();
  for (const Error& error : listing.skipped) skipped.push_back(SkippedJson(error));
  document["skipped"] = std::move(skipped);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace rdmabench
