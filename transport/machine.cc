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

void KeepOnly(std::optional<int> port, std::optional<int> gid_index, DeviceInfo& device) {
  std::erase_if(device.ports,
                [port](const PortInfo& other) { return port && other.number != *port; });
  for (PortInfo& kept : device.ports) {
    std::erase_if(kept.gids,
                  [gid_index](const Gid& gid) { return gid_index && gid.index != *gid_index; });
  }
}

}  // namespace

Machine MachineWith(std::vector<DeviceInfo> devices) {
  Machine machine;
  machine.memlock = ReadMemlockLimit();
  machine.allowed_cpus = AllowedCpus();
  for (const DeviceInfo& device : devices) {
    if (device.netdev.empty()) continue;
    if (const auto gbps = MostGbps(device.netdev)) machine.most_gbps[device.netdev] = *gbps;
    if (const auto flow = ReadFlowControl(device.netdev)) {
      machine.flow_control[device.netdev] = *flow;
    }
  }
  machine.devices = std::move(devices);
  return machine;
}

Machine ReadMachine(const MachineChoice& choice) {
  std::vector<Error> closed;
  std::vector<DeviceInfo> devices;
  for (const Device& device : OpenDevices(closed)) {
    const NamedDevice* named = FindName(choice.devices, device.info());
    if (named == nullptr && !choice.devices.empty()) continue;
    DeviceInfo& info = devices.emplace_back(device.info());
    KeepOnly(named != nullptr && named->port ? named->port : choice.port, choice.gid_index, info);
  }
  Machine machine = MachineWith(std::move(devices));
  machine.closed = std::move(closed);
  machine.chosen = !choice.devices.empty();
  return machine;
}

}  // namespace rdmabench
