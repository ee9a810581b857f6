#include "transport/locality.h"

#include <hwloc.h>
#include <hwloc/distances.h>
#include <hwloc/openfabrics-verbs.h>

#include <algorithm>
#include <utility>

#include "transport/error.h"
#include "transport/locality_tree.h"

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
  // A device stays on its own node even where this process may use nothing of that.
  hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  return owned;
}

Bitmap SetOf(std::span<const unsigned> cpus) {
  Bitmap set(hwloc_bitmap_alloc());
  for (const unsigned cpu : cpus) hwloc_bitmap_set(set.get(), cpu);
  return set;
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

// In hwloc's order.
std::vector<Core> UsableCores(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  const Bitmap left(hwloc_bitmap_dup(allowed));
  std::vector<Core> cores;
  hwloc_obj_t pu = nullptr;
  while ((pu = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, pu)) != nullptr) {
    if (!hwloc_bitmap_isset(left.get(), pu->os_index)) continue;
    // Some virtual machines show no cores: each cpu stands for one then.
    const hwloc_obj* parent = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, pu);
    const Bitmap siblings(hwloc_bitmap_dup(parent != nullptr ? parent->cpuset : pu->cpuset));
    const bool has_cpu0 = hwloc_bitmap_isset(siblings.get(), 0) != 0;
    hwloc_bitmap_and(siblings.get(), siblings.get(), left.get());
    hwloc_bitmap_andnot(left.get(), left.get(), siblings.get());
    cores.push_back({.cpus = CpusOf(siblings.get()),
                     .node = OneNode(topology, pu->nodeset),
                     .has_cpu0 = has_cpu0});
  }
  return cores;
}

std::vector<NumaNode> NodesOf(hwloc_topology_t topology) {
  const hwloc_const_bitmap_t usable = hwloc_topology_get_allowed_nodeset(topology);
  std::vector<NumaNode> nodes;
  hwloc_obj_t node = nullptr;
  while ((node = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, node)) != nullptr) {
    nodes.push_back({.number = node->os_index,
                     .cpus = CpusOf(node->cpuset),
                     .is_usable = hwloc_bitmap_isset(usable, node->os_index) != 0});
  }
  return nodes;
}

// Empty where the firmware tells none.
std::vector<NodeDistance> DistancesOf(hwloc_topology_t topology) {
  constexpr unsigned long kKind = HWLOC_DISTANCES_KIND_FROM_OS | HWLOC_DISTANCES_KIND_MEANS_LATENCY;
  unsigned count = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &count, &matrix, kKind, 0) != 0 ||
      count == 0) {
    return {};
  }
  std::vector<NodeDistance> distances;
  for (unsigned from = 0; from < matrix->nbobjs; ++from) {
    for (unsigned to = 0; to < matrix->nbobjs; ++to) {
      distances.push_back(
          {.from = matrix->objs[from]->os_index,
           .to = matrix->objs[to]->os_index,
           .distance = static_cast<unsigned>(matrix->values[from * matrix->nbobjs + to])});
    }
  }
  hwloc_distances_release(topology, matrix);
  return distances;
}

}  // namespace

struct Locality::Impl {
  Topology topology;
  CoreMap map;

  // `affinity`: null for all.
  void Describe(hwloc_const_bitmap_t affinity);
  hwloc_obj_t FindDevice(const DevicePosition& device) const;
};

void Locality::Impl::Describe(hwloc_const_bitmap_t affinity) {
  const Bitmap allowed(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology.get())));
  if (affinity != nullptr) hwloc_bitmap_and(allowed.get(), allowed.get(), affinity);
  map = {.cores = UsableCores(topology.get(), allowed.get()),
         .nodes = NodesOf(topology.get()),
         .distances = DistancesOf(topology.get())};
}

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

Locality::Locality() : impl_(std::make_unique<Impl>()) {
  impl_->topology = NewTopology();
  CheckErrno(hwloc_topology_load(impl_->topology.get()), "cannot read the machine's topology");
  const Bitmap affinity(hwloc_bitmap_alloc());
  CheckErrno(hwloc_get_cpubind(impl_->topology.get(), affinity.get(), HWLOC_CPUBIND_THREAD),
             "cannot read this thread's affinity");
  impl_->Describe(affinity.get());
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
  impl->Describe(allowed_cpus.empty() ? nullptr : SetOf(allowed_cpus).get());
  return Locality(std::move(impl));
}

std::optional<unsigned> Locality::NodeOf(const DevicePosition& device) const {
  hwloc_obj_t found = impl_->FindDevice(device);
  if (found == nullptr) return std::nullopt;
  // A device whose node the firmware does not tell hangs on the whole machine.
  const hwloc_obj* place = hwloc_get_non_io_ancestor_obj(impl_->topology.get(), found);
  return place == nullptr ? std::nullopt : OneNode(impl_->topology.get(), place->nodeset);
}

const CoreMap& Locality::map() const { return impl_->map; }

std::vector<unsigned> Locality::CpusNear(std::optional<unsigned> node) const {
  return CpusInOrder(impl_->map, node, {});
}

Placement Locality::Place(const PlacementRequest& request) const {
  return Place(std::span(&request, 1)).front();
}

std::vector<Placement> Locality::Place(std::span<const PlacementRequest> requests) const {
  std::vector<std::optional<unsigned>> nodes;
  for (const PlacementRequest& request : requests) nodes.push_back(NodeOf(request.device));
  return rdmabench::Place(impl_->map, nodes, requests);
}

std::string Locality::Tree(const DevicePosition& device, const Placement& placement) const {
  return RenderTree(impl_->topology.get(), {.device = impl_->FindDevice(device),
                                            .device_name = device.rdma_name,
                                            .map = impl_->map,
                                            .placement = placement});
}

void Locality::PinThisThread(unsigned cpu) const {
  const Bitmap set = SetOf(std::span(&cpu, 1));
  CheckErrno(hwloc_set_cpubind(impl_->topology.get(), set.get(), HWLOC_CPUBIND_THREAD),
             "cannot pin a thread to cpu " + std::to_string(cpu),
             "the process may not run there: see taskset -p and the cgroup's cpuset");
}

void Locality::PreferMemoryOf(unsigned node) const {
  const Bitmap set = SetOf(std::span(&node, 1));
  // That binding is not allowed is told when the messages' memory is bound, which has to work.
  hwloc_set_membind(impl_->topology.get(), set.get(), HWLOC_MEMBIND_BIND,
                    HWLOC_MEMBIND_THREAD | HWLOC_MEMBIND_BYNODESET);
}

DevicePosition PositionOf(const DeviceInfo& info) {
  return {.rdma_name = info.name, .pcie_address = info.pcie_address, .netdev = info.netdev};
}

}  // namespace rdmabench
