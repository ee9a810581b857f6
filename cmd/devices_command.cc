#include "cmd/devices_command.h"

#include <iostream>
#include <nlohmann/json.hpp>

#include "report/text_table.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using Json = nlohmann::ordered_json;
using report::Align;
using report::TextTable;

constexpr std::size_t kMostCpusShown = 8;

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

std::string Node(const std::optional<unsigned>& node) {
  return node ? std::to_string(*node) : std::string("-");
}

std::string CpuList(const std::vector<unsigned>& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size() && i < kMostCpusShown; ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(cpus[i]);
  }
  return text + (cpus.size() > kMostCpusShown ? ",…" : "");
}

std::string Speed(const PortInfo& port) {
  if (!port.link_gbps) return "not known";
  std::string text = std::to_string(*port.link_gbps);
  return text.substr(0, text.find('.') + 2) + " Gb/s";
}

Json PortJson(const PortInfo& port) {
  Json object = {{"port", port.number},
                 {"state", PortStateName(port.state)},
                 {"link_layer", port.link_layer},
                 {"active_mtu_bytes", port.active_mtu_bytes},
                 {"max_mtu_bytes", port.max_mtu_bytes}};
  if (port.link_gbps) object["link_gbps"] = *port.link_gbps;
  if (port.lid != 0) object["lid"] = port.lid;
  Json gids = Json::array();
  for (const Gid& gid : port.gids) {
    Json entry = {{"index", gid.index}, {"type", GidTypeName(gid.type)}, {"text", gid.Text()}};
    if (!gid.netdev.empty()) entry["netdev"] = gid.netdev;
    gids.push_back(std::move(entry));
  }
  object["gids"] = std::move(gids);
  return object;
}

void AddGids(TextTable& table, const DeviceInfo& device) {
  for (const PortInfo& port : device.ports) {
    for (const Gid& gid : port.gids) {
      table.AddRow({device.name, std::to_string(port.number), std::to_string(gid.index),
                    std::string(GidTypeName(gid.type)), gid.Text(), OrDash(gid.netdev)});
    }
  }
}

}  // namespace

std::string DevicesText(const std::vector<DeviceInfo>& devices, const Locality& locality) {
  TextTable ports({{"device", Align::kLeft},
                   {"port"},
                   {"state", Align::kLeft},
                   {"link", Align::kLeft},
                   {"speed", Align::kLeft},
                   {"MTU"},
                   {"netdev", Align::kLeft},
                   {"driver", Align::kLeft},
                   {"PCIe", Align::kLeft},
                   {"node"},
                   {"cores", Align::kLeft}});
  TextTable gids({{"device", Align::kLeft},
                  {"port"},
                  {"GID"},
                  {"type", Align::kLeft},
                  {"text", Align::kLeft},
                  {"netdev", Align::kLeft}});
  for (const DeviceInfo& device : devices) {
    const std::optional<unsigned> node = locality.NodeOf(PositionOf(device));
    for (const PortInfo& port : device.ports) {
      ports.AddRow({device.name, std::to_string(port.number),
                    std::string(PortStateName(port.state)), port.link_layer, Speed(port),
                    std::to_string(port.active_mtu_bytes), OrDash(device.netdev),
                    OrDash(device.driver), device.pcie_address.value_or("-"), Node(node),
                    CpuList(locality.CpusNear(node))});
    }
    AddGids(gids, device);
  }
  return ports.Render(0) + "\n" + gids.Render(0);
}

std::string DevicesJson(const std::vector<DeviceInfo>& devices, const Locality& locality) {
  Json list = Json::array();
  for (const DeviceInfo& device : devices) {
    Json object = {{"name", device.name}};
    auto put = [&object](const char* key, const std::string& text) {
      if (!text.empty()) object[key] = text;
    };
    put("driver", device.driver);
    put("firmware", device.firmware);
    put("netdev", device.netdev);
    put("pcie_address", device.pcie_address.value_or(""));
    const std::optional<unsigned> node = locality.NodeOf(PositionOf(device));
    if (node) object["numa_node"] = *node;
    object["proposed_cpus"] = locality.CpusNear(node);
    object["max_queue_pairs"] = device.limits.max_qp;
    object["max_send_depth"] = device.limits.max_qp_wr;
    object["max_completion_queue_entries"] = device.limits.max_cqe;
    Json ports = Json::array();
    for (const PortInfo& port : device.ports) ports.push_back(PortJson(port));
    object["ports"] = std::move(ports);
    list.push_back(std::move(object));
  }
  return Json{{"devices", std::move(list)}}.dump(2, ' ', false, Json::error_handler_t::replace) +
         "\n";
}

void RunDevicesCommand(bool json) {
  std::vector<std::string> skipped;
  const std::vector<DeviceInfo> devices = ListDevices(&skipped);
  const Locality locality;
  for (const std::string& line : skipped) std::cerr << "skipped: " << line << "\n";
  if (json) std::cout << DevicesJson(devices, locality) << std::flush;
  if (devices.empty()) {
    throw Error(Blame::kEnvironment, "no RDMA device found",
                "load the driver of the adapter, or for Soft-RoCE: rdma link add rxe0 type rxe "
                "netdev NETDEV");
  }
  if (!json) std::cout << DevicesText(devices, locality) << std::flush;
}

}  // namespace rdmabench
