#include "transport/placement.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "transport/cpu_list.h"
#include "transport/error.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

bool Contains(std::span<const unsigned> cpus, unsigned cpu) {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

bool ContainsAny(std::span<const unsigned> cpus, const Core& core) {
  return std::any_of(core.cpus.begin(), core.cpus.end(),
                     [&](unsigned cpu) { return Contains(cpus, cpu); });
}

// Workers like the first best.
int Rank(const Core& core, std::span<const unsigned> busy_cpus) {
  if (core.has_cpu0) return 2;
  return ContainsAny(busy_cpus, core) ? 1 : 0;
}

std::vector<Core> CoresInOrder(const CoreMap& map, std::optional<unsigned> node,
                               std::span<const unsigned> busy_cpus) {
  std::vector<Core> cores = map.cores;
  if (node) {
    const NumaNode* found = map.FindNode(*node);
    if (found == nullptr) return {};
    std::erase_if(cores, [&](const Core& core) { return !ContainsAny(found->cpus, core); });
  }
  std::stable_sort(cores.begin(), cores.end(), [&](const Core& a, const Core& b) {
    return Rank(a, busy_cpus) < Rank(b, busy_cpus);
  });
  return cores;
}

// One cpu of each core, then the second ones, and so on.
std::vector<unsigned> Interleaved(const std::vector<Core>& cores) {
  std::size_t threads = 0;
  for (const Core& core : cores) threads = std::max(threads, core.cpus.size());
  std::vector<unsigned> cpus;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    for (const Core& core : cores) {
      if (thread < core.cpus.size()) cpus.push_back(core.cpus[thread]);
    }
  }
  return cpus;
}

// A cpu of a core that no worker is on: of the last one, since workers like it least.
std::optional<unsigned> SpareCore(const std::vector<Core>& cores,
                                  std::span<const unsigned> workers) {
  const auto spare = std::find_if(cores.rbegin(), cores.rend(),
                                  [&](const Core& core) { return !ContainsAny(workers, core); });
  return spare == cores.rend() ? std::nullopt : std::optional(spare->cpus.front());
}

// The last cpu in the order of preference that no worker is on.
std::optional<unsigned> SpareCpu(const std::vector<unsigned>& order,
                                 std::span<const unsigned> workers) {
  const auto spare = std::find_if(order.rbegin(), order.rend(),
                                  [&](unsigned cpu) { return !Contains(workers, cpu); });
  return spare == order.rend() ? std::nullopt : std::optional(*spare);
}

// "cpu 2", "cpus 2, 4-6"
std::string Cpus(const std::vector<unsigned>& cpus) {
  const std::string list = CpuListText(cpus, ", ");
  const bool is_one = list.find_first_of(",-") == std::string::npos;
  return (is_one ? "cpu " : "cpus ") + list;
}

void CheckCpus(const CoreMap& map, const PlacementChoice& choice) {
  std::vector<unsigned> usable;
  for (const Core& core : map.cores) {
    usable.insert(usable.end(), core.cpus.begin(), core.cpus.end());
  }
  std::vector<unsigned> missing = choice.cpus;
  std::erase_if(missing, [&](unsigned cpu) { return Contains(usable, cpu); });
  if (missing.empty()) return;
  throw Error(Blame::kEnvironment,
              std::string(choice.cpus_option) + " names " + Cpus(missing) +
                  ", which may not be used; usable: " + Cpus(usable),
              "name some of these; a container's cpuset or taskset may withhold others");
}

void CheckNode(const CoreMap& map, const PlacementChoice& choice) {
  if (!choice.numa_node) return;
  std::vector<unsigned> usable;
  for (const NumaNode& node : map.nodes) {
    if (node.is_usable) usable.push_back(node.number);
  }
  if (Contains(usable, *choice.numa_node)) return;
  throw Error(Blame::kEnvironment,
              std::string(choice.node_option) + " " + std::to_string(*choice.numa_node) +
                  " is not among the nodes that may be used: " + CpuListText(usable, ", "),
              "name one of these; a container's cpuset may withhold others");
}

// Of one device: its workers, then perhaps the session, then the rest.
class Placing {
 public:
  // `taken_cpus` have workers of other devices: only when no other is left.
  Placing(const CoreMap& map, std::optional<unsigned> device_node, const PlacementRequest& request,
          std::vector<unsigned> taken_cpus)
      : map_(map), request_(request), choice_(request.choice), taken_(std::move(taken_cpus)) {
    placement_.device_node = device_node;
    home_ = choice_.numa_node ? choice_.numa_node : device_node;
    unwanted_ = request.busy_cpus;
    unwanted_.insert(unwanted_.end(), taken_.begin(), taken_.end());
  }

  const std::vector<unsigned>& PlaceWorkers() {
    TellWhere();
    if (choice_.pin) {
      ChooseCpus();
    } else {
      Tell("threads are not pinned, by --no-pin");
    }
    return placement_.worker_cpus;
  }

  // Near this device, where the workers of all leave a core there.
  std::optional<unsigned> PlaceSession(const std::vector<unsigned>& workers) {
    if (workers.empty()) return std::nullopt;
    std::optional<unsigned> cpu = SpareCore(CoresInOrder(map_, home_, unwanted_), workers);
    if (!cpu) cpu = SpareCore(CoresInOrder(map_, std::nullopt, unwanted_), workers);
    if (!cpu) cpu = SpareCpu(order_, workers);
    Tell(cpu ? "session on cpu " + std::to_string(*cpu) : "no cpu left for the session alone");
    return cpu;
  }

  Placement Finish(std::optional<unsigned> session_cpu) {
    placement_.session_cpu = session_cpu;
    PlaceMemory();
    Measure();
    return std::move(placement_);
  }

 private:
  void Tell(std::string reason) { placement_.reasons.push_back(std::move(reason)); }

  void TellWhere() {
    const std::string& device = request_.device.rdma_name;
    if (map_.HasOneNode()) {
      Tell("the machine has one NUMA node");
    } else if (!placement_.device_node) {
      Tell("the NUMA node of " + device + " is not known");
    } else {
      Tell(device + " is on " + NumaNodeName(*placement_.device_node));
    }
    if (choice_.numa_node) {
      Tell(NumaNodeName(*choice_.numa_node) + " by " + std::string(choice_.node_option));
    }
  }

  void Append(std::optional<unsigned> node, bool also_taken = false) {
    for (const unsigned cpu : CpusInOrder(map_, node, unwanted_)) {
      if (Contains(order_, cpu) || (!also_taken && Contains(taken_, cpu))) continue;
      order_.push_back(cpu);
    }
  }

  void ChooseCpus() {
    const std::size_t workers = request_.workers;
    Append(home_);
    const std::size_t near = order_.size();
    Append(placement_.device_node);
    Append(std::nullopt);
    const std::size_t free = order_.size();
    Append(std::nullopt, /*also_taken=*/true);
    const bool all_are_withheld = CpusInOrder(map_, home_, {}).empty();
    if (all_are_withheld) {
      placement_.reasons.back() += ", but this process may use none of its cpus";
    } else if (near == 0 && free > 0 && choice_.cpus.empty()) {
      placement_.reasons.back() += ", but other devices have taken the cpus of it";
    }
    const std::vector<unsigned>& from = choice_.cpus.empty() ? order_ : choice_.cpus;
    for (std::size_t i = 0; i < workers && !from.empty(); ++i) {
      placement_.worker_cpus.push_back(from[i % from.size()]);
    }
    if (placement_.worker_cpus.empty()) return;
    std::string reason = "workers on " + Cpus(placement_.worker_cpus);
    if (!choice_.cpus.empty()) reason += " by " + std::string(choice_.cpus_option);
    if (choice_.cpus.empty() && order_.size() > free && workers > free) {
      reason +=
          free == 0 ? ", which other devices have, too" : ", some of which other devices have, too";
    } else if (workers > from.size()) {
      reason += ", which they share";
    } else if (choice_.cpus.empty() && near > 0 && workers > near) {
      reason += ", some of them on other nodes";
    }
    Tell(std::move(reason));
    TellBusy();
  }

  // Only where it made a difference.
  void TellBusy() {
    std::vector<unsigned> avoided = request_.busy_cpus;
    const std::vector<unsigned> near = CpusInOrder(map_, home_, {});
    std::erase_if(avoided, [&](unsigned cpu) { return !Contains(near, cpu); });
    const bool all_are_busy = avoided.size() >= near.size();
    if (avoided.empty() || all_are_busy || !choice_.cpus.empty()) return;
    Tell(Cpus(avoided) + " last, because of interrupts there");
  }

  // The home where it may be used; else near the first worker.
  void PlaceMemory() {
    const NumaNode* home = home_ ? map_.FindNode(*home_) : nullptr;
    if (!choice_.numa_node && map_.HasOneNode()) return;
    const NumaNode* chosen = IsUsable(home) ? home : NodeOfFirstWorker();
    if (!IsUsable(chosen)) return;
    placement_.memory_node = chosen->number;
    Tell("memory on node " + std::to_string(chosen->number) +
         (home != nullptr && chosen != home ? ", since that of the device may not be used" : ""));
  }

  static bool IsUsable(const NumaNode* node) { return node != nullptr && node->is_usable; }

  const NumaNode* NodeOfFirstWorker() const {
    if (placement_.worker_cpus.empty()) return nullptr;
    const Core* core = map_.CoreOf(placement_.worker_cpus.front());
    return core->node ? map_.FindNode(*core->node) : nullptr;
  }

  void Measure() {
    std::vector<const Core*> cores;
    for (const unsigned cpu : placement_.worker_cpus) {
      const Core* core = map_.CoreOf(cpu);
      cores.push_back(core);
      placement_.core_of_worker.push_back(core->cpus.front());
      if (core->node && !map_.HasOneNode()) placement_.worker_nodes.push_back(*core->node);
    }
    if (placement_.worker_nodes.size() < placement_.worker_cpus.size()) {
      placement_.worker_nodes.clear();
    }
    std::sort(cores.begin(), cores.end());
    const auto distinct = std::unique(cores.begin(), cores.end());
    placement_.worker_cores = static_cast<std::size_t>(distinct - cores.begin());
    if (!placement_.device_node || map_.HasOneNode()) return;
    std::vector<unsigned> nodes = placement_.worker_nodes;
    if (placement_.memory_node) nodes.push_back(*placement_.memory_node);
    for (const unsigned node : nodes) {
      const auto distance = map_.Distance(node, *placement_.device_node);
      if (distance) placement_.distance = std::max(placement_.distance.value_or(0), *distance);
    }
  }

  const CoreMap& map_;
  const PlacementRequest& request_;
  const PlacementChoice& choice_;
  std::optional<unsigned> home_;    // where everything should be
  std::vector<unsigned> taken_;     // by workers of other devices
  std::vector<unsigned> unwanted_;  // the last ones in their parts of the order
  std::vector<unsigned> order_;     // of preference, for workers
  Placement placement_;
};

}  // namespace

const NumaNode* CoreMap::FindNode(unsigned number) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const NumaNode& node) { return node.number == number; });
  return found == nodes.end() ? nullptr : &*found;
}

std::optional<unsigned> CoreMap::Distance(unsigned from, unsigned to) const {
  for (const NodeDistance& known : distances) {
    if (known.from == from && known.to == to) return known.distance;
  }
  return std::nullopt;
}

const Core* CoreMap::CoreOf(unsigned cpu) const {
  const auto found = std::find_if(cores.begin(), cores.end(),
                                  [&](const Core& core) { return Contains(core.cpus, cpu); });
  return found == cores.end() ? nullptr : &*found;
}

std::string NumaNodeName(unsigned number) { return "NUMA node " + std::to_string(number); }

std::string Placement::Reason() const { return Joined(reasons, {}, "; "); }

std::vector<unsigned> CpusInOrder(const CoreMap& map, std::optional<unsigned> node,
                                  std::span<const unsigned> busy_cpus) {
  return Interleaved(CoresInOrder(map, node, busy_cpus));
}

std::vector<Placement> Place(const CoreMap& map,
                             std::span<const std::optional<unsigned>> device_nodes,
                             std::span<const PlacementRequest> requests) {
  assert(device_nodes.size() == requests.size());
  std::vector<Placing> placings;
  std::vector<unsigned> taken;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    CheckCpus(map, requests[i].choice);
    CheckNode(map, requests[i].choice);
    Placing& placing = placings.emplace_back(map, device_nodes[i], requests[i], taken);
    const std::vector<unsigned>& cpus = placing.PlaceWorkers();
    taken.insert(taken.end(), cpus.begin(), cpus.end());
  }
  std::optional<unsigned> session_cpu;
  if (!placings.empty()) session_cpu = placings.front().PlaceSession(taken);
  std::vector<Placement> placements;
  for (Placing& placing : placings) placements.push_back(placing.Finish(session_cpu));
  return placements;
}

}  // namespace rdmabench
