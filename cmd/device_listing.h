// What `rdmabench devices` tells, as plain values: gathered here, rendered in devices_text and
// devices_json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/device_info.h"
#include "transport/error.h"
#include "transport/memory.h"

namespace rdmabench {

struct ListedDevice {
  DeviceInfo info;
  std::optional<unsigned> numa_node;
  std::vector<unsigned> local_cpus;               // those to be preferred come first
  std::optional<std::uint32_t> max_inline_bytes;  // absent where no rc queue pair can be made
  std::vector<KindAvailability> memory_kinds;
};

struct DeviceListing {
  std::vector<ListedDevice> devices;
  std::vector<Error> skipped;  // why each of the others is missing
};

// Those of these names (or of network interfaces of these names), of which each may have a port, as
// in "mlx4_0:2": of such a device the listing has that port only. Without names all. Throws
// Error(kEnvironment) when one that is named does not open or has no such port, Error(kUsage) for
// one that is named twice; the listing of all has devices that do not open in `skipped`.
DeviceListing ListTheDevices(const std::vector<std::string>& names);

// Of the slowest hop between the device and the root, when it is slower than the device's own link.
const PcieHop* Bottleneck(const DeviceInfo& device);

std::string DevicesText(const DeviceListing& listing);
std::string DevicesJson(const DeviceListing& listing);

}  // namespace rdmabench
