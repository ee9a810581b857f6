#include "cmd/device_listing.h"

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
  listed.memory_kinds = ProbeMemoryKinds(device.context());
  return listed;
}

}  // namespace

DeviceListing ListTheDevices(const std::optional<std::string>& name) {
  const Locality locality;
  DeviceListing listing;
  if (name) {
    listing.devices.push_back(Survey(Device::Open(*name), locality));
    return listing;
  }
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
