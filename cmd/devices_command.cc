#include "cmd/devices_command.h"

#include <iostream>

#include "cmd/device_listing.h"
#include "transport/device.h"
#include "transport/error.h"

namespace rdmabench {

void RunDevicesCommand(bool json, const std::vector<std::string>& names) {
  const DeviceListing listing = ListTheDevices(names);
  if (json) std::cout << DevicesJson(listing) << std::flush;
  for (const Error& error : listing.skipped) {
    std::cerr << "skipped: " << error.what() << "\n";
    if (!error.remedy().empty()) std::cerr << "remedy: " << error.remedy() << "\n";
  }
  if (listing.devices.empty() && listing.skipped.empty()) ThrowNoDevice();
  if (listing.devices.empty()) {
    throw Error(Blame::kEnvironment, "no RDMA device could be opened",
                "what is said of each above");
  }
  if (!json) std::cout << DevicesText(listing) << std::flush;
}

}  // namespace rdmabench
