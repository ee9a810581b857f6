#include "cmd/device_listing.h"

#include <algorithm>

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

}  // namespace

DeviceListing ListTheDevices(const std::vector<std::string>& names) {
  const Locality locality;
  DeviceListing listing;
  for (const std::string& name : names) {
    const Device device = Device::Open(name);
    const auto is_same = [&](const ListedDevice& other) {
      return other.info.name == device.info().name;
    };
    if (std::any_of(listing.devices.begin(), listing.devices.end(), is_same)) continue;
    listing.devices.push_back(Survey(device, locality));
  }
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
