#include "transport/locality.h"

#include <hwloc.h>
#include <hwloc/openfabrics-verbs.h>

#include <algorithm>
#include <utility>

#include "transport/error.h"

namespace rdmabench {
namespace {

struct TopologyDeleter {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<hwloc_topology, TopologyDeleter>;

struct BitmapDeleter {
  void operator()(hwloc_bitmap_t bitmap) const noexcept { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

Topology NewTopology() {
  hwloc_topology_t topology = nullptr;
  CheckErrno(hwloc_topology_init(&topology), "cannot prepare for the machine's topology");
  Topology owned(topology);
  // Otherwise devices are left out.
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
  return owned;
}

Bitmap SetOf(std::span<const unsigned> cpus) {
  Bitmap set(hwloc_bitmap_alloc());
  for (const unsigned cpu : cpus) hwloc_bitmap_set(set.get(), cpu);
  return set;
}

bool Contains(const std::vector<unsigned>& cpus, unsigned cpu) {
  return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end();
}

// The cpus of one physical core that may be used, in the order of their numbers.
using Core = std::vector<unsigned>;

// One cpu of each core, then the second ones, and so on.
std::vector<unsigned> Interleaved(const std::vector<Core>& cores) {
  std::size_t threads = 0;
  for (const Core& core : cores) threads = std::max(threads, core.size());
  std::vector<unsigned> cpus;
  for (std::size_t thread = 0; thread < threads; ++thread) {
    for (const Core& core : cores) {
      if (thread < core.size()) cpus.push_back(core[thread]);
    }
  }
  return cpus;
}

// A cpu of a core that no worker is on: the last one, which is the core of cpu 0 where that is
// among them, since workers like it least.
std::optional<unsigned> SpareCore(const std::vector<Core>& cores,
                                  const std::vector<unsigned>& workers) {
  const auto spare = std::find_if(cores.rbegin(), cores.rend(), [&](const Core& core) {
    return std::none_of(core.begin(), core.end(),
                        [&](unsigned cpu) { return Contains(workers, cpu); });
  });
  return spare == cores.rend() ? std::nullopt : std::optional(spare->front());
}

// The last cpu in the order of preference that no worker is on.
std::optional<unsigned> SpareCpu(const std::vector<unsigned>& order,
                                 const std::vector<unsigned>& workers) {
  const auto spare = std::find_if(order.rbegin(), order.rend(),
                                  [&](unsigned cpu) { return !Contains(workers, cpu); });
  return spare == order.rend() ? std::nullopt : std::optional(*spare);
}

// The lowest of the nodes when they are one place: a package's own memory comes before its
// high-bandwidth memory.
std::optional<unsigned> OneNode(hwloc_topology_t topology, hwloc_const_nodeset_t nodes) {
  const hwloc_obj* lowest = nullptr;
  for (int index = hwloc_bitmap_first(nodes); index >= 0; index = hwloc_bitmap_next(nodes, index)) {
    const hwloc_obj* node =
        hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(index));
    if (node == nullptr) continue;
    if (lowest == nullptr) lowest = node;
    if (!hwloc_bitmap_isequal(lowest->cpuset, node->cpuset)) return std::nullopt;
  }
  if (lowest == nullptr) return std::nullopt;
  return lowest->os_index;
}

std::string CpuList(std::vector<unsigned> cpus) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  std::string text = cpus.size() == 1 ? "cpu " : "cpus ";
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(cpus[i]);
  }
  return text;
}

}  // namespace

struct Locality::Impl {
  Topology topology;
  Bitmap allowed;  // cpus

  hwloc_obj_t FindDevice(const DevicePosition& device) const;
  std::vector<Core> CoresNear(std::optional<unsigned> node) const;
  std::string WhereIs(const DevicePosition& device, std::optional<unsigned> node) const;
  bool HasOneNode() const {
    return hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_NUMANODE) <= 1;
  }
};

// rxe devices are not in the topology; the PCI function of their netdev is.
hwloc_obj_t Locality::Impl::FindDevice(const DevicePosition& device) const {
  hwloc_obj_t found = hwloc_ibv_get_device_osdev_by_name(topology.get(), device.rdma_name.c_str());
  if (found == nullptr && device.pcie_address) {
    found = hwloc_get_pcidev_by_busidstring(topology.get(), device.pcie_address->c_str());
  }
  hwloc_obj_t candidate = nullptr;
  while (found == nullptr && !device.netdev.empty() &&
         (candidate = hwloc_get_next_osdev(topology.get(), candidate)) != nullptr) {
    if (candidate->name != nullptr && device.netdev == candidate->name) found = candidate;
  }
  return found;
}

// In hwloc's order, but the core of cpu 0 last.
std::vector<Core> Locality::Impl::CoresNear(std::optional<unsigned> node) const {
  const Bitmap left(hwloc_bitmap_dup(allowed.get()));
  if (node) {
    const hwloc_obj* numa = hwloc_get_numanode_obj_by_os_index(topology.get(), *node);
    if (numa == nullptr) return {};
    hwloc_bitmap_and(left.get(), left.get(), numa->cpuset);
  }
  std::vector<Core> cores;
  Core core_of_cpu0;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(topology.get(), HWLOC_OBJ_PU, pu)) != nullptr) {
    if (!hwloc_bitmap_isset(left.get(), pu->os_index)) continue;
    // Some virtual machines show no cores: each cpu stands for one then.
    const hwloc_obj* parent = hwloc_get_ancestor_obj_by_type(topology.get(), HWLOC_OBJ_CORE, pu);
    const Bitmap siblings(hwloc_bitmap_dup(parent != nullptr ? parent->cpuset : pu->cpuset));
    const bool has_cpu0 = hwloc_bitmap_isset(siblings.get(), 0) != 0;
    hwloc_bitmap_and(siblings.get(), siblings.get(), left.get());
    hwloc_bitmap_andnot(left.get(), left.get(), siblings.get());
    Core& core = has_cpu0 ? core_of_cpu0 : cores.emplace_back();
    for (int cpu = hwloc_bitmap_first(siblings.get()); cpu >= 0;
         cpu = hwloc_bitmap_next(siblings.get(), cpu)) {
      core.push_back(static_cast<unsigned>(cpu));
    }
  }
  if (!core_of_cpu0.empty()) cores.push_back(std::move(core_of_cpu0));
  return cores;
}

std::string Locality::Impl::WhereIs(const DevicePosition& device,
                                    std::optional<unsigned> node) const {
  if (HasOneNode()) return "the machine has one NUMA node";
  if (!node) return "the NUMA node of " + device.rdma_name + " is not known";
  return device.rdma_name + " is on NUMA node " + std::to_string(*node);
}

Locality::Locality() : impl_(std::make_unique<Impl>()) {
  impl_->topology = NewTopology();
  CheckErrno(hwloc_topology_load(impl_->topology.get()), "cannot read the machine's topology");
  impl_->allowed.reset(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(impl_->topology.get())));
  const Bitmap affinity(hwloc_bitmap_alloc());
  CheckErrno(hwloc_get_cpubind(impl_->topology.get(), affinity.get(), HWLOC_CPUBIND_THREAD),
             "cannot read this thread's affinity");
  hwloc_bitmap_and(impl_->allowed.get(), impl_->allowed.get(), affinity.get());
}

Locality::Locality(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Locality::Locality(Locality&&) noexcept = default;
Locality::~Locality() = default;

Locality Locality::FromXml(std::string_view xml_path, std::span<const unsigned> allowed_cpus) {
  auto impl = std::make_unique<Impl>();
  impl->topology = NewTopology();
  const std::string path(xml_path);
  CheckErrno(hwloc_topology_set_xml(impl->topology.get(), path.c_str()), "cannot read " + path);
  CheckErrno(hwloc_topology_load(impl->topology.get()), "cannot load the topology in " + path);
  impl->allowed.reset(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(impl->topology.get())));
  if (!allowed_cpus.empty()) {
    const Bitmap affinity = SetOf(allowed_cpus);
    hwloc_bitmap_and(impl->allowed.get(), impl->allowed.get(), affinity.get());
  }
  return Locality(std::move(impl));
}

std::optional<unsigned> Locality::NodeOf(const DevicePosition& device) const {
  hwloc_obj_t found = impl_->FindDevice(device);
  if (found == nullptr) return std::nullopt;
  // A device whose node the firmware does not tell hangs on the whole machine.
  const hwloc_obj* place = hwloc_get_non_io_ancestor_obj(impl_->topology.get(), found);
  return place == nullptr ? std::nullopt : OneNode(impl_->topology.get(), place->nodeset);
}

std::vector<unsigned> Locality::CpusNear(std::optional<unsigned> node) const {
  return Interleaved(impl_->CoresNear(node));
}

Placement Locality::Place(const DevicePosition& device, std::size_t workers) const {
  Placement placement;
  placement.device_node = NodeOf(device);
  placement.reason = impl_->WhereIs(device, placement.device_node);
  const std::vector<Core> near = impl_->CoresNear(placement.device_node);
  const std::vector<Core> all = impl_->CoresNear(std::nullopt);
  if (near.empty()) placement.reason += ", but this process may use none of its cpus";

  std::vector<unsigned> order = Interleaved(near);
  const std::size_t near_count = order.size();
  for (const unsigned cpu : Interleaved(all)) {
    if (!Contains(order, cpu)) order.push_back(cpu);
  }
  for (std::size_t i = 0; i < workers && !order.empty(); ++i) {
    placement.worker_cpus.push_back(order[i % order.size()]);
  }
  placement.session_cpu = SpareCore(near, placement.worker_cpus);
  if (!placement.session_cpu) placement.session_cpu = SpareCore(all, placement.worker_cpus);
  if (!placement.session_cpu) placement.session_cpu = SpareCpu(order, placement.worker_cpus);
  if (!impl_->HasOneNode() && !placement.worker_cpus.empty()) {
    const hwloc_obj* pu =
        hwloc_get_pu_obj_by_os_index(impl_->topology.get(), placement.worker_cpus.front());
    placement.memory_node =
        placement.device_node ? placement.device_node : OneNode(impl_->topology.get(), pu->nodeset);
  }

  if (placement.worker_cpus.empty()) return placement;
  placement.reason += "; workers on " + CpuList(placement.worker_cpus);
  if (workers > order.size()) {
    placement.reason += ", which they share";
  } else if (near_count > 0 && workers > near_count) {
    placement.reason += ", some of them on other nodes";
  }
  placement.reason += placement.session_cpu
                          ? "; session on cpu " + std::to_string(*placement.session_cpu)
                          : std::string("; no cpu left for the session alone");
  return placement;
}

void Locality::PinThisThread(unsigned cpu) const {
  const Bitmap set = SetOf(std::span(&cpu, 1));
  CheckErrno(hwloc_set_cpubind(impl_->topology.get(), set.get(), HWLOC_CPUBIND_THREAD),
             "cannot pin a thread to cpu " + std::to_string(cpu),
             "this process may not run there: see taskset -p and the cgroup's cpuset");
}

DevicePosition PositionOf(const DeviceInfo& info) {
  return {.rdma_name = info.name, .pcie_address = info.pcie_address, .netdev = info.netdev};
}

}  // namespace rdmabench
