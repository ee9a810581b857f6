// All that the checks of `rdmabench doctor` look at: files, and what only calls tell.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "transport/dcb.h"
#include "transport/device_info.h"
#include "transport/error.h"
#include "transport/file_tree.h"
#include "transport/memlock.h"

namespace rdmabench {

struct Machine {
  FileTree files{"/"};
  std::vector<DeviceInfo> devices;
  std::vector<Error> closed;  // why each of the others that matter does not open
  // Why what the user named is not among them: devices, ports of those that are, and the GID of
  // each of their active ports.
  std::vector<Error> missing_devices;
  std::vector<Error> missing_ports;
  std::vector<Error> missing_gids;
  bool chosen = false;  // the devices are those that the user named, not all that there are
  MemlockLimit memlock;
  std::vector<unsigned> allowed_cpus;  // that this process may run on
  // By network interface, where its driver tells.
  std::map<std::string, double> most_gbps;  // of the fastest mode that it supports
  std::map<std::string, FlowControl> flow_control;
};

struct NamedDevice {
  std::string name;         // its own, or that of its network interface
  std::optional<int> port;  // absent: that of the choice
};

// What to look at; absent or none: everything.
struct MachineChoice {
  std::vector<NamedDevice> devices;
  std::optional<int> port;
  std::optional<int> gid_index;
};

// This machine; named devices in the order of their names. Neither devices that do not open nor
// those that are not there are an error.
Machine ReadMachine(const MachineChoice& choice);

// The interfaces of all ports.
std::set<std::string> NetdevsOf(std::span<const DeviceInfo> devices);

// The processors of this process, the limit on its memory and what the interfaces of `devices`
// tell, beside them.
Machine MachineWith(std::vector<DeviceInfo> devices);

}  // namespace rdmabench
