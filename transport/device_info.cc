#include "transport/device_info.h"

#include <net/if.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/device_sysfs.h"
#include "transport/error.h"
#include "transport/link_speed.h"

namespace rdmabench {
namespace {

constexpr std::string_view kSysfs = "/sys";

std::string LinkLayerName(std::uint8_t link_layer) {
  // Old kernels say "unspecified" for InfiniBand, the only one they had.
  return link_layer == IBV_LINK_LAYER_ETHERNET ? "ethernet" : "infiniband";
}

GidType TypeOf(std::uint32_t gid_type) {
  switch (gid_type) {
    case IBV_GID_TYPE_ROCE_V1:
      return GidType::kRoceV1;
    case IBV_GID_TYPE_ROCE_V2:
      return GidType::kRoceV2;
    default:
      return GidType::kInfiniBand;
  }
}

std::string InterfaceName(std::uint32_t index) {
  char name[IF_NAMESIZE] = {};
  return index != 0 && if_indextoname(index, name) != nullptr ? std::string(name) : std::string();
}

// Every GID in use, of all ports.
std::vector<ibv_gid_entry> QueryGids(ibv_context* context, const std::string& device,
                                     std::size_t table_entries) {
  std::vector<ibv_gid_entry> entries(table_entries);
  if (entries.empty()) return entries;
  const ssize_t count = ibv_query_gid_table(context, entries.data(), entries.size(), 0);
  // It returns the negative errno value, unlike the other verbs.
  if (count < 0) Check(static_cast<int>(-count), "cannot read the GID table of " + device);
  entries.resize(static_cast<std::size_t>(count));
  return entries;
}

PortInfo Describe(const ibv_port_attr& attr, int number, std::string_view rate) {
  PortInfo port;
  port.number = number;
  port.state = attr.state;
  port.link_layer = LinkLayerName(attr.link_layer);
  port.active_mtu_bytes = MtuBytes(attr.active_mtu);
  port.max_mtu_bytes = MtuBytes(attr.max_mtu);
  port.lid = attr.lid;
  port.grh_required =
      attr.link_layer == IBV_LINK_LAYER_ETHERNET || (attr.flags & IBV_QPF_GRH_REQUIRED) != 0;
  // Without a link drivers report the last rate, or the lowest.
  if (attr.state != IBV_PORT_ACTIVE) return port;
  const auto speed = FindLinkSpeed(attr.active_speed, attr.active_width, rate);
  if (!speed) return port;
  port.link_gbps = speed->gbps;
  port.link_lane = speed->lane;
  port.link_lanes = speed->lanes;
  // Ethernet's rates are those of its data, whatever InfiniBand lanes the driver says they are.
  const bool is_ethernet = attr.link_layer == IBV_LINK_LAYER_ETHERNET;
  port.data_gbps = is_ethernet ? speed->gbps : speed->data_gbps;
  return port;
}

// Of a software device's port: its driver makes the link up.
void ForgetLink(PortInfo& port) {
  port.link_gbps.reset();
  port.link_lane.clear();
  port.link_lanes = 0;
  port.data_gbps.reset();
}

std::vector<PortInfo> QueryPorts(ibv_context* context, const std::string& device, int count) {
  std::vector<PortInfo> ports;
  std::size_t table_entries = 0;
  for (int number = 1; number <= count; ++number) {
    ibv_port_attr attr{};
    Check(ibv_query_port(context, static_cast<std::uint8_t>(number), &attr),
          "cannot query port " + std::to_string(number) + " of " + device);
    ports.push_back(Describe(attr, number, PortRate(kSysfs, device, number)));
    table_entries += static_cast<std::size_t>(std::max(0, attr.gid_tbl_len));
  }
  for (const ibv_gid_entry& entry : QueryGids(context, device, table_entries)) {
    if (entry.port_num < 1 || entry.port_num > ports.size()) continue;
    Gid gid{.index = static_cast<int>(entry.gid_index),
            .type = TypeOf(entry.gid_type),
            .raw = entry.gid,
            .netdev = InterfaceName(entry.ndev_ifindex)};
    if (!gid.IsZero()) ports[entry.port_num - 1].gids.push_back(std::move(gid));
  }
  return ports;
}

bool IsActiveEthernet(const PortInfo& port) {
  return port.state == IBV_PORT_ACTIVE && port.link_layer == "ethernet";
}

std::uint32_t Limit(int value) { return static_cast<std::uint32_t>(std::max(0, value)); }

DeviceLimits LimitsOf(const ibv_device_attr& attr) {
  return {.max_qp = Limit(attr.max_qp),
          .max_qp_wr = Limit(attr.max_qp_wr),
          .max_cq = Limit(attr.max_cq),
          .max_cqe = Limit(attr.max_cqe),
          .max_sge = Limit(attr.max_sge),
          .max_mr = Limit(attr.max_mr),
          .max_rd_atom = Limit(attr.max_qp_rd_atom),
          .max_init_rd_atom = Limit(attr.max_qp_init_rd_atom),
          .max_srq_wr = attr.max_srq > 0 ? Limit(attr.max_srq_wr) : 0,
          .max_mr_bytes = attr.max_mr_size,
          .atomics = attr.atomic_cap != IBV_ATOMIC_NONE};
}

}  // namespace

DeviceInfo QueryDevice(ibv_context* context) {
  DeviceInfo info;
  info.name = ibv_get_device_name(context->device);
  ibv_device_attr attr{};
  Check(ibv_query_device(context, &attr), "cannot query " + info.name);
  const SysfsFacts facts = ReadSysfs(kSysfs, info.name);
  info.driver = facts.driver;
  info.netdev = facts.netdev;
  info.pcie_address = facts.pcie_address;
  info.firmware.assign(attr.fw_ver, strnlen(attr.fw_ver, sizeof attr.fw_ver));
  info.limits = LimitsOf(attr);
  info.ports = QueryPorts(context, info.name, attr.phys_port_cnt);
  if (info.pcie_address) info.pcie_path = ReadPciePath(kSysfs, *info.pcie_address);
  if (IsSoftwareDriver(info.driver)) {
    for (PortInfo& port : info.ports) ForgetLink(port);
  } else if (info.pcie_address) {
    info.pcie = ReadPcie(kSysfs, *info.pcie_address);
  }
  // The interface is the first port's.
  if (facts.netdev_gbps && !info.ports.empty() && IsActiveEthernet(info.ports.front())) {
    info.ports.front().data_gbps = facts.netdev_gbps;
  }
  return info;
}

std::string NetdevOf(const DeviceInfo& device, const PortInfo& port) {
  if (port.number == 1) return device.netdev;
  return port.gids.empty() ? std::string() : port.gids.front().netdev;
}

std::string_view PortStateName(ibv_port_state state) {
  switch (state) {
    case IBV_PORT_NOP:
      return "unknown";
    case IBV_PORT_DOWN:
      return "down";
    case IBV_PORT_INIT:
      return "initializing";
    case IBV_PORT_ARMED:
      return "armed";
    case IBV_PORT_ACTIVE:
      return "active";
    case IBV_PORT_ACTIVE_DEFER:
      return "active, deferred";
  }
  return "unknown";
}

const PortInfo* FindPort(const DeviceInfo& device, int number) {
  const auto found = std::find_if(device.ports.begin(), device.ports.end(),
                                  [number](const PortInfo& port) { return port.number == number; });
  return found == device.ports.end() ? nullptr : &*found;
}

ibv_mtu MtuFromBytes(std::uint32_t bytes) {
  for (const ibv_mtu mtu : {IBV_MTU_256, IBV_MTU_512, IBV_MTU_1024, IBV_MTU_2048, IBV_MTU_4096}) {
    if (MtuBytes(mtu) == bytes) return mtu;
  }
  throw Error(
      Blame::kUsage,
      "there is no MTU of " + std::to_string(bytes) + " bytes; known: 256, 512, 1024, 2048, 4096",
      "give one of these, of the packets' payload; an interface's MTU of 1500 or 9000 has "
      "room for 1024 or 4096");
}

std::uint32_t MtuBytes(ibv_mtu mtu) {
  if (mtu < IBV_MTU_256 || mtu > IBV_MTU_4096) return 0;
  return std::uint32_t{128} << static_cast<unsigned>(mtu);
}

}  // namespace rdmabench
