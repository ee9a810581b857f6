#include "bench/placement_warnings.h"

#include <cstdio>
#include <optional>
#include <set>
#include <string_view>

#include "transport/cpu_list.h"

namespace rdmabench {
namespace {

struct Place {
  const std::string& role;
  const std::string& device;
  const report::Placement& placement;
};

std::string Plural(std::size_t count, std::string_view one, std::string_view several) {
  return std::to_string(count) + " " + std::string(count == 1 ? one : several);
}

// `devices`: whose workers they are, where they are of several.
std::string Sharing(std::size_t workers, std::optional<std::size_t> devices, std::size_t count,
                    const std::string& what) {
  const std::string of = devices ? " of " + std::to_string(*devices) + " devices" : std::string();
  return std::to_string(workers) + " workers" + of + " share " + Plural(count, what, what + "s") +
         ": they take each other's time, and what is measured is that of fewer";
}

std::string Distance(const Place& place) {
  if (!place.placement.distance) return {};
  return " (distance " + std::to_string(*place.placement.distance) + ", of its own node 10)";
}

std::string DeviceOn(const Place& place) {
  return place.device + " is on " + NumaNodeName(*place.placement.device_node);
}

std::string RemoteWorkers(const Place& place) {
  const report::Placement& placement = place.placement;
  if (!placement.device_node) return {};
  std::vector<unsigned> remote;
  std::size_t count = 0;
  for (std::size_t i = 0; i < placement.worker_nodes.size() && i < placement.worker_cpus.size();
       ++i) {
    if (placement.worker_nodes[i] == *placement.device_node) continue;
    remote.push_back(placement.worker_cpus[i]);
    ++count;
  }
  if (remote.empty()) return {};
  return Plural(count, "worker is", "workers are") + " on another node (cpu " +
         CpuListText(remote, ", ") + "), " + DeviceOn(place) + Distance(place);
}

std::string RemoteMemory(const Place& place) {
  const report::Placement& placement = place.placement;
  if (!placement.device_node || !placement.memory_node ||
      *placement.device_node == *placement.memory_node) {
    return {};
  }
  return "the memory is on " + NumaNodeName(*placement.memory_node) + ", " + DeviceOn(place) +
         Distance(place);
}

std::string StrayPages(const Place& place) {
  const std::optional<double>& share = place.placement.pages_on_node;
  if (!share || *share >= 1.0 || !place.placement.memory_node) return {};
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.3g %%", *share * 100);
  return "only " + std::string(percent) + " of the memory's pages are on " +
         NumaNodeName(*place.placement.memory_node) + ", where they were to be";
}

std::string SharedCores(const Place& place) {
  const std::size_t workers = place.placement.worker_cpus.size();
  if (workers <= place.placement.worker_cores) return {};
  return Sharing(workers, {}, place.placement.worker_cores, "core");
}

std::string Strays(const Place& place) {
  const report::Placement& placement = place.placement;
  for (std::size_t i = 0; i < placement.ran_on_cpus.size() && i < placement.worker_cpus.size();
       ++i) {
    if (placement.ran_on_cpus[i] == placement.worker_cpus[i]) continue;
    return "a worker that was pinned to cpu " + std::to_string(placement.worker_cpus[i]) +
           " ran on cpu " + std::to_string(placement.ran_on_cpus[i]) +
           ": something else has moved it";
  }
  return {};
}

constexpr std::string (*kRules[])(const Place&) = {RemoteWorkers, RemoteMemory, StrayPages,
                                                   SharedCores, Strays};

bool AreOneMachine(const std::vector<report::Host>& hosts) {
  return hosts.size() == 2 && hosts[0].boot_id && hosts[0].boot_id == hosts[1].boot_id;
}

void Judge(const Place& place, std::vector<std::string>& warnings) {
  for (const auto& rule : kRules) {
    const std::string finding = rule(place);
    if (!finding.empty()) warnings.push_back(place.role + ": " + finding);
  }
}

// Workers of several devices, each of which has as many cpus as workers.
std::string SharedByDevices(const report::Host& host) {
  std::set<unsigned> cpus;
  std::size_t workers = 0;
  for (const report::HostRail& rail : host.rails) {
    cpus.insert(rail.placement.worker_cpus.begin(), rail.placement.worker_cpus.end());
    workers += rail.placement.worker_cpus.size();
  }
  if (workers <= cpus.size()) return {};
  return Sharing(workers, host.rails.size(), cpus.size(), "cpu");
}

}  // namespace

std::string CoresSharedByDevices(std::span<const Placement> devices) {
  std::set<unsigned> cpus;
  std::set<unsigned> cores;
  std::size_t workers = 0;
  std::size_t cores_of_each = 0;
  for (const Placement& placement : devices) {
    cpus.insert(placement.worker_cpus.begin(), placement.worker_cpus.end());
    cores.insert(placement.core_of_worker.begin(), placement.core_of_worker.end());
    workers += placement.worker_cpus.size();
    cores_of_each += placement.worker_cores;
  }
  if (workers > cpus.size() || cores_of_each <= cores.size()) return {};
  return Sharing(workers, devices.size(), cores.size(), "core");
}

std::vector<std::string> PlacementWarnings(const std::vector<report::Host>& hosts) {
  std::vector<std::string> warnings;
  if (AreOneMachine(hosts)) {
    warnings.emplace_back(
        "both ends are one machine: they share its cores and memory, and no fabric is measured");
  }
  for (const report::Host& host : hosts) {
    for (const report::HostRail& rail : host.rails) {
      Judge({host.role, rail.device.name, rail.placement}, warnings);
    }
    if (const std::string finding = SharedByDevices(host); !finding.empty()) {
      warnings.push_back(host.role + ": " + finding);
    }
    if (!host.rails.empty() || !host.device || !host.placement) continue;
    Judge({host.role, host.device->name, *host.placement}, warnings);
  }
  return warnings;
}

}  // namespace rdmabench
