#include "bench/placement_warnings.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>

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

// `of`: whose workers they are; may be empty.
std::string Sharing(std::size_t workers, const std::string& of, std::size_t cores) {
  return std::to_string(workers) + " workers" + of + " share " + Plural(cores, "core", "cores") +
         ": they take each other's time, and what is measured is that of fewer";
}

// "cpu 4", "cpus 4, 5"
std::string Cpus(const std::vector<unsigned>& cpus) {
  return (cpus.size() == 1 ? "cpu " : "cpus ") + CpuListText(cpus, ", ");
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
  return Plural(count, "worker is", "workers are") + " on another node (" + Cpus(remote) + "), " +
         DeviceOn(place) + Distance(place);
}

// Where the system has put them.
std::string RemoteRuns(const Place& place) {
  const report::Placement& placement = place.placement;
  if (!placement.device_node || !placement.worker_cpus.empty()) return {};
  const std::vector<unsigned>& nodes = placement.ran_on_nodes;
  const auto is_remote = [&](unsigned node) { return node != *placement.device_node; };
  const auto count = static_cast<std::size_t>(std::count_if(nodes.begin(), nodes.end(), is_remote));
  if (count == 0) return {};
  return Plural(count, "worker that is", "workers that are") + " not pinned ran on another node, " +
         DeviceOn(place) + Distance(place);
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

constexpr std::string (*kRules[])(const Place&) = {RemoteWorkers, RemoteRuns, RemoteMemory,
                                                   StrayPages, Strays};

bool AreOneMachine(const std::vector<report::Host>& hosts) {
  return hosts.size() == 2 && hosts[0].boot_id && hosts[0].boot_id == hosts[1].boot_id;
}

void Judge(const Place& place, std::vector<std::string>& warnings) {
  for (const auto& rule : kRules) {
    const std::string finding = rule(place);
    if (!finding.empty()) warnings.push_back(place.role + ": " + finding);
  }
}

}  // namespace

std::vector<std::string> SharingWarnings(std::span<const PlacedDevice> devices) {
  std::set<unsigned> cores;
  std::size_t workers = 0;
  std::size_t cores_of_each = 0;
  std::vector<std::string> warnings;
  for (const PlacedDevice& device : devices) {
    const Placement& placement = device.placement;
    cores.insert(placement.core_of_worker.begin(), placement.core_of_worker.end());
    workers += placement.worker_cpus.size();
    cores_of_each += placement.worker_cores;
    if (placement.worker_cpus.size() <= placement.worker_cores) continue;
    warnings.push_back(Sharing(placement.worker_cpus.size(),
                               devices.size() > 1 ? " of " + device.name : "",
                               placement.worker_cores));
  }
  if (cores_of_each == cores.size()) return warnings;
  // That devices share with each other says more than what each shares with itself.
  return {Sharing(workers, " of " + std::to_string(devices.size()) + " devices", cores.size())};
}

std::string IdleWarning(const std::vector<unsigned>& idle, std::string_view option,
                        std::size_t workers) {
  if (idle.empty()) return {};
  return std::string(option) + " names " + Cpus(idle) + ", where nothing runs: there " +
         (workers == 1 ? "is " : "are ") + Plural(workers, "worker", "workers") +
         ", and --threads makes more";
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
    if (!host.rails.empty() || !host.device || !host.placement) continue;
    Judge({host.role, host.device->name, *host.placement}, warnings);
  }
  return warnings;
}

}  // namespace rdmabench
