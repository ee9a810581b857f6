#include "transport/machine.h"

#include <sched.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "transport/device.h"
#include "transport/ethtool.h"

namespace rdmabench {
namespace {

// The kernel refuses a set that is smaller than its own.
std::vector<unsigned> AllowedCpus() {
  constexpr std::size_t kMostCpus = 65536;
  const auto free_set = [](cpu_set_t* set) { CPU_FREE(set); };
  const std::unique_ptr<cpu_set_t, decltype(free_set)> set(CPU_ALLOC(kMostCpus), free_set);
  const std::size_t bytes = CPU_ALLOC_SIZE(kMostCpus);
  std::vector<unsigned> cpus;
  if (set == nullptr || sched_getaffinity(0, bytes, set.get()) != 0) return cpus;
  for (unsigned cpu = 0; cpu < kMostCpus; ++cpu) {
    if (CPU_ISSET_S(cpu, bytes, set.get())) cpus.push_back(cpu);
  }
  return cpus;
}

// By its own name, or that of an interface on it.
bool IsCalled(const DeviceInfo& device, const std::string& name) {
  if (device.name == name || device.netdev == name) return true;
  return std::any_of(device.ports.begin(), device.ports.end(), [&](const PortInfo& port) {
    return std::any_of(port.gids.begin(), port.gids.end(),
                       [&](const Gid& gid) { return gid.netdev == name; });
  });
}

// The one that the device is called by; null: none.
const NamedDevice* FindName(const std::vector<NamedDevice>& names, const DeviceInfo& device) {
  const auto found = std::find_if(names.begin(), names.end(), [&device](const NamedDevice& named) {
    return IsCalled(device, named.name);
  });
  return found == names.end() ? nullptr : &*found;
}

bool IsWanted(const MachineChoice& choice, const DeviceInfo& device, const PortInfo& port) {
  const auto has = [&port](std::optional<int> number) { return !number || *number == port.number; };
  if (choice.devices.empty()) return has(choice.port);
  return std::any_of(choice.devices.begin(), choice.devices.end(), [&](const NamedDevice& named) {
    return IsCalled(device, named.name) && has(named.port ? named.port : choice.port);
  });
}

// The device with what was chosen of it.
DeviceInfo WantedOf(const DeviceInfo& whole, const MachineChoice& choice) {
  DeviceInfo device = whole;
  std::erase_if(device.ports, [&](const PortInfo& port) { return !IsWanted(choice, whole, port); });
  for (PortInfo& port : device.ports) {
    std::erase_if(port.gids, [&choice](const Gid& gid) {
      return choice.gid_index && gid.index != *choice.gid_index;
    });
  }
  return device;
}

// What was named, and is not in `devices`, which are all that open.
void NoteMissing(const MachineChoice& choice, const std::vector<DeviceInfo>& devices,
                 Machine& machine) {
  for (const NamedDevice& named : choice.devices) {
    const auto device = std::find_if(devices.begin(), devices.end(), [&](const DeviceInfo& info) {
      return IsCalled(info, named.name);
    });
    if (device == devices.end()) {
      if (auto why = WhyNoDevice(named.name)) machine.missing_devices.push_back(std::move(*why));
      continue;
    }
    const std::optional<int> port = named.port ? named.port : choice.port;
    if (port && FindPort(*device, *port) == nullptr) {
      machine.missing_ports.push_back(NoSuchPort(*device, *port));
    }
  }
  if (!choice.devices.empty() || !choice.port || devices.empty()) return;
  const auto has_it = [&](const DeviceInfo& device) {
    return FindPort(device, *choice.port) != nullptr;
  };
  if (std::any_of(devices.begin(), devices.end(), has_it)) return;
  for (const DeviceInfo& device : devices) {
    machine.missing_ports.push_back(NoSuchPort(device, *choice.port));
  }
}

// The GIDs that were asked for and are not in use, of active ports that matter.
void NoteMissingGids(const MachineChoice& choice, const std::vector<DeviceInfo>& devices,
                     Machine& machine) {
  if (!choice.gid_index) return;
  const auto is_it = [&choice](const Gid& gid) { return gid.index == *choice.gid_index; };
  for (const DeviceInfo& device : devices) {
    for (const PortInfo& port : device.ports) {
      if (port.state != IBV_PORT_ACTIVE || !IsWanted(choice, device, port)) continue;
      if (std::any_of(port.gids.begin(), port.gids.end(), is_it)) continue;
      machine.missing_gids.push_back(NoSuchGid(device, port, *choice.gid_index));
    }
  }
}

}  // namespace

std::set<std::string> NetdevsOf(std::span<const DeviceInfo> devices) {
  std::set<std::string> netdevs;
  for (const DeviceInfo& device : devices) {
    for (const PortInfo& port : device.ports) {
      if (std::string netdev = NetdevOf(device, port); !netdev.empty()) {
        netdevs.insert(std::move(netdev));
      }
    }
  }
  return netdevs;
}

Machine MachineWith(std::vector<DeviceInfo> devices) {
  Machine machine;
  machine.memlock = ReadMemlockLimit();
  machine.allowed_cpus = AllowedCpus();
  for (const std::string& netdev : NetdevsOf(devices)) {
    if (const auto gbps = MostGbps(netdev)) machine.most_gbps[netdev] = *gbps;
    if (const auto flow = ReadFlowControl(netdev)) machine.flow_control[netdev] = *flow;
  }
  machine.devices = std::move(devices);
  return machine;
}

Machine ReadMachine(const MachineChoice& choice) {
  std::vector<Error> closed;
  std::vector<DeviceInfo> all;
  std::vector<DeviceInfo> devices;
  for (const Device& device : OpenDevices(closed)) {
    all.push_back(device.info());
    const bool is_named = FindName(choice.devices, device.info()) != nullptr;
    if (!is_named && !choice.devices.empty()) continue;
    devices.push_back(WantedOf(device.info(), choice));
  }
  std::stable_sort(devices.begin(), devices.end(), [&choice](const auto& one, const auto& other) {
    return FindName(choice.devices, one) < FindName(choice.devices, other);
  });
  const bool are_all_there =
      !choice.devices.empty() &&
      std::all_of(choice.devices.begin(), choice.devices.end(), [&](const NamedDevice& named) {
        return std::any_of(devices.begin(), devices.end(),
                           [&](const DeviceInfo& device) { return IsCalled(device, named.name); });
      });
  Machine machine = MachineWith(std::move(devices));
  machine.chosen = !choice.devices.empty();
  NoteMissing(choice, all, machine);
  NoteMissingGids(choice, all, machine);
  // Whether others open does not matter then.
  if (!are_all_there) machine.closed = std::move(closed);
  return machine;
}

}  // namespace rdmabench
