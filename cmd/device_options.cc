#include "cmd/device_options.h"

#include <algorithm>

#include "bench/rails.h"
#include "cmd/option_group.h"
#include "cmd/quantity.h"
#include "transport/error.h"
#include "transport/gid.h"

namespace rdmabench {
namespace {

constexpr Range kIbPort{1, 255};
constexpr Range kGidIndex{0, kMostGidIndex};

}  // namespace

std::vector<std::string> ParseDevices(const std::string& option, const std::string& text) {
  std::vector<std::string> devices = SplitList(text);
  const auto is_bad = [&](const std::string& device) {
    return device.empty() || (device == "all" && devices.size() > 1);
  };
  if (devices.size() > kMostRails || std::any_of(devices.begin(), devices.end(), is_bad)) {
    throw Error(Blame::kUsage, option + " '" + text + "' is no list of devices",
                "1 to " + std::to_string(kMostRails) + " names separated by commas, or all");
  }
  for (const std::string& device : devices) CheckDeviceName(device);
  return devices;
}

void AddDeviceOptions(CLI::App& app, Local& local, const std::string& several) {
  OptionGroup group(app, "Device");
  group.Add("-d,--ib-dev", "LIST",
            "RDMA device or its network interface, with a port as in mlx4_0:2 if need be; several "
            "(mlx5_0,mlx5_1, or all) are " +
                several,
            [&local](const std::string& text) { local.devices = ParseDevices("--ib-dev", text); });
  group.Number("-i,--ib-port", local.port, kIbPort,
               "port of each device; default: the first active");
  group.Number("-x,--gid-index", local.gid_index, kGidIndex,
               "GID of each device of this side; default: paired with the peer's");
}

void AddRemoteDevice(CLI::App& app, RemoteOptions& remote, const std::string& which) {
  OptionGroup(app, "Device")
      .Add("--remote-device", "LIST", "the server's devices, " + which,
           [&remote](const std::string& text) {
             remote.devices = ParseDevices("--remote-device", text);
           });
}

}  // namespace rdmabench
