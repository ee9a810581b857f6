#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cmd/device_listing.h"
#include "report/text_table.h"
#include "transport/cpu_list.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

using report::Align;
using report::TextTable;

std::string OrDash(const std::string& text) { return text.empty() ? "-" : text; }

template <class Number>
std::string OrDash(const std::optional<Number>& number) {
  return number ? std::to_string(*number) : std::string("-");
}

// "100 Gb/s (4X EDR)"
std::string Speed(const PortInfo& port) {
  if (!port.link_gbps) return "not known";
  char text[32];
  std::snprintf(text, sizeof text, "%g Gb/s", *port.link_gbps);
  if (port.link_lane.empty()) return text;
  return std::string(text) + " (" + std::to_string(port.link_lanes) + "X " + port.link_lane + ")";
}

// "gen4 x16"
std::string Link(const std::optional<PcieLink>& link) {
  if (!link) return "-";
  const std::optional<unsigned> generation = PcieGeneration(*link);
  return "gen" + (generation ? std::to_string(*generation) : "?") + " x" +
         std::to_string(link->lanes);
}

std::string LinkNow(const DeviceInfo& device) {
  if (device.pcie_path.empty()) return "-";
  std::string text = Link(device.pcie_path.front().now);
  if (const PcieHop* slowest = Bottleneck(device)) {
    text += ", " + Link(slowest->now) + " at " + slowest->address;
  }
  return text;
}

std::string LinkAtMost(const DeviceInfo& device) {
  return device.pcie_path.empty() ? "-" : Link(device.pcie_path.front().most);
}

std::string Devices(const DeviceListing& listing) {
  TextTable table({{"device", Align::kLeft},
                   {"driver", Align::kLeft},
                   {"firmware", Align::kLeft},
                   {"PCIe address", Align::kLeft},
                   {"PCIe now", Align::kLeft},
                   {"PCIe at most", Align::kLeft},
                   {"node"},
                   {"cores", Align::kLeft}});
  for (const ListedDevice& device : listing.devices) {
    table.AddRow({device.info.name, OrDash(device.info.driver), OrDash(device.info.firmware),
                  device.info.pcie_address.value_or("-"), LinkNow(device.info),
                  LinkAtMost(device.info), OrDash(device.numa_node),
                  OrDash(CpuListText(device.local_cpus))});
  }
  return table.Render(0);
}

std::string Ports(const DeviceListing& listing) {
  TextTable table({{"device", Align::kLeft},
                   {"port"},
                   {"state", Align::kLeft},
                   {"link", Align::kLeft},
                   {"speed", Align::kLeft},
                   {"MTU"},
                   {"at most"},
                   {"netdev", Align::kLeft}});
  for (const ListedDevice& device : listing.devices) {
    for (const PortInfo& port : device.info.ports) {
      table.AddRow({device.info.name, std::to_string(port.number),
                    std::string(PortStateName(port.state)), port.link_layer, Speed(port),
                    std::to_string(port.active_mtu_bytes), std::to_string(port.max_mtu_bytes),
                    OrDash(NetdevOf(device.info, port))});
    }
  }
  return table.Render(0);
}

std::string Gids(const DeviceListing& listing) {
  TextTable table({{"device", Align::kLeft},
                   {"port"},
                   {"GID"},
                   {"type", Align::kLeft},
                   {"text", Align::kLeft},
                   {"netdev", Align::kLeft}});
  for (const ListedDevice& device : listing.devices) {
    for (const PortInfo& port : device.info.ports) {
      for (const Gid& gid : port.gids) {
        table.AddRow({device.info.name, std::to_string(port.number), std::to_string(gid.index),
                      std::string(GidTypeName(gid.type)), gid.Text(), OrDash(gid.netdev)});
      }
    }
  }
  return table.Render(0);
}

std::string Limits(const DeviceListing& listing) {
  TextTable table({{"device", Align::kLeft},
                   {"QPs"},
                   {"requests"},
                   {"CQs"},
                   {"CQEs"},
                   {"inline"},
                   {"reads out"},
                   {"reads in"},
                   {"SRQ requests"},
                   {"atomics", Align::kLeft}});
  for (const ListedDevice& device : listing.devices) {
    const DeviceLimits& limits = device.info.limits;
    table.AddRow({device.info.name, std::to_string(limits.max_qp), std::to_string(limits.max_qp_wr),
                  std::to_string(limits.max_cq), std::to_string(limits.max_cqe),
                  OrDash(device.max_inline_bytes), std::to_string(limits.max_init_rd_atom),
                  std::to_string(limits.max_rd_atom), std::to_string(limits.max_srq_wr),
                  limits.atomics ? "yes" : "no"});
  }
  return table.Render(0);
}

// The devices of which the same is true of a memory kind.
struct Alike {
  std::string_view kind;
  std::optional<std::string> why_not;
  std::string amount;
  std::string devices;
  std::size_t count = 0;
};

// Those of one kind stand together.
std::vector<Alike> Grouped(const std::vector<ListedDevice>& devices) {
  std::vector<Alike> groups;
  for (const ListedDevice& device : devices) {
    for (const KindAvailability& kind : device.memory_kinds) {
      auto at = std::find_if(groups.begin(), groups.end(),
                             [&](const Alike& group) { return group.kind == kind.name; });
      const auto is_another = [&](const Alike& group) {
        return group.why_not != kind.why_not || group.amount != kind.amount;
      };
      while (at != groups.end() && at->kind == kind.name && is_another(*at)) ++at;
      if (at == groups.end() || at->kind != kind.name) {
        at = groups.insert(
            at, {.kind = kind.name, .why_not = kind.why_not, .amount = kind.amount, .devices = {}});
      }
      AppendWord(at->devices, device.info.name);
      ++at->count;
    }
  }
  return groups;
}

std::string Memory(const DeviceListing& listing) {
  TextTable table(
      {{"memory", Align::kLeft}, {"devices", Align::kLeft}, {"available", Align::kLeft}});
  for (const Alike& group : Grouped(listing.devices)) {
    table.AddRow({std::string(group.kind),
                  group.count == listing.devices.size() ? "all" : group.devices,
                  group.why_not          ? "no: " + *group.why_not
                  : group.amount.empty() ? "yes"
                                         : "yes: " + group.amount});
  }
  return table.Render(0);
}

}  // namespace

std::string DevicesText(const DeviceListing& listing) {
  return Devices(listing) + "\n" + Ports(listing) + "\n" + Gids(listing) + "\n" + Limits(listing) +
         "\n" + Memory(listing);
}

}  // namespace rdmabench
