#include "cmd/device_listing.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/rails.h"
#include "transport/device.h"
#include "transport/inline_probe.h"
#include "transport/locality.h"

namespace rdmabench {
namespace {

ListedDevice Survey(const Device& device, const Locality& locality) {
  ListedDevice listed;
  listed.info = device.info();
  listed.numa_node = locality.NodeOf(PositionOf(device.info()));
  listed.local_cpus = locality.CpusNear(listed.numa_node);
  listed.max_inline_bytes = ProbeInline(device.context());
  // Where there is one node, a run binds its memory to none.
  listed.memory_kinds = ProbeMemoryKinds(
      device.context(), locality.map().HasOneNode() ? std::nullopt : listed.numa_node);
  return listed;
}

// Those that are named of a device; all where the name has no port.
std::vector<PortInfo> NamedPorts(const DeviceInfo& device, std::optional<int> number) {
  if (!number) return device.ports;
  const PortInfo* port = FindPort(device, *number);
  if (port != nullptr) return {*port};
  throw Error(Blame::kEnvironment, NoSuchPort(device, *number).what(),
              "leave the port out: all are listed");
}

std::vector<ListedDevice> ListNamed(const std::vector<std::string>& names,
                                    const Locality& locality) {
  std::vector<ListedDevice> listed;
  for (const std::string& name : names) {
    const std::optional<int> number = PortIn(name);
    const Device device = Device::Open(DeviceIn(name));
    const std::string& called = device.info().name;
    std::vector<PortInfo> ports = NamedPorts(device.info(), number);
    const auto same =
        std::find_if(listed.begin(), listed.end(),
                     [&called](const ListedDevice& other) { return other.info.name == called; });
    if (same == listed.end()) {
      listed.push_back(Survey(device, locality));
      listed.back().info.ports = std::move(ports);
    } else if (!number || FindPort(same->info, *number) != nullptr) {
      RefuseTwice("--ib-dev", names, called, number);
    } else {
      same->info.ports.push_back(std::move(ports.front()));
    }
  }
  return listed;
}

}  // namespace

DeviceListing ListTheDevices(const std::vector<std::string>& names) {
  const Locality locality;
  DeviceListing listing;
  listing.devices = ListNamed(names, locality);
  if (!names.empty()) return listing;
  for (const Device& device : OpenDevices(listing.skipped)) {
    listing.devices.push_back(Survey(device, locality));
  }
  return listing;
}

const PcieHop* Bottleneck(const DeviceInfo& device) {
  const PcieHop* slowest = SlowestHop(device.pcie_path);
  return slowest == device.pcie_path.data() ? nullptr : slowest;
}

}  // namespace rdmabench
