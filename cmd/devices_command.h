// rdmabench devices: what RDMA devices there are, for people and for scripts.
#pragma once

#include <string>
#include <vector>

#include "transport/device.h"
#include "transport/locality.h"

namespace rdmabench {

// Prints them. Throws Error(kEnvironment) when there is none.
void RunDevicesCommand(bool json);

std::string DevicesText(const std::vector<DeviceInfo>& devices, const Locality& locality);
std::string DevicesJson(const std::vector<DeviceInfo>& devices, const Locality& locality);

}  // namespace rdmabench
