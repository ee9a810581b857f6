#include "transport/locality_tree.h"

#include <hwloc.h>

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "transport/cpu_list.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

constexpr std::size_t kIndent = 2;
constexpr std::string_view kWithheld = "withheld from this process";

// "mlx5_0, ens1f0": what the system calls a PCIe device.
std::string NamesOf(const hwloc_obj* pcie) {
  std::string names;
  for (const hwloc_obj* child = pcie->io_first_child; child != nullptr;
       child = child->next_sibling) {
    if (child->type != HWLOC_OBJ_OS_DEVICE || child->name == nullptr) continue;
    AppendWord(names, child->name);
  }
  return names;
}

bool IsAt(const hwloc_obj* object, const hwloc_obj* place) {
  while (object != nullptr && object != place) object = object->parent;
  return object != nullptr;
}

class Tree {
 public:
  explicit Tree(const TreeMarks& marks) : marks_(marks) {}

  std::string Render(hwloc_topology_t topology) {
    Line(0, "machine", "");
    Children(hwloc_get_root_obj(topology), 1);
    if (marks_.device == nullptr) {
      Line(1, std::string(marks_.device_name) + " has no place in this tree", "");
    }
    return std::move(text_);
  }

 private:
  void Line(std::size_t depth, const std::string& what, const std::string& mark) {
    text_ += std::string(depth * kIndent, ' ') + what + (mark.empty() ? "" : "  <- " + mark) + "\n";
  }

  // Memory, cores, then devices.
  void Children(const hwloc_obj* object, std::size_t depth) {
    for (const hwloc_obj* child = object->memory_first_child; child != nullptr;
         child = child->next_sibling) {
      Show(child, depth);
    }
    for (const hwloc_obj* child = object->first_child; child != nullptr;
         child = child->next_sibling) {
      Show(child, depth);
    }
    FlushCores();
    for (const hwloc_obj* child = object->io_first_child; child != nullptr;
         child = child->next_sibling) {
      Show(child, depth);
    }
  }

  void Show(const hwloc_obj* object, std::size_t depth) {
    switch (object->type) {
      case HWLOC_OBJ_PACKAGE:
        FlushCores();
        Line(depth, "package " + std::to_string(object->os_index), "");
        Children(object, depth + 1);
        break;
      case HWLOC_OBJ_NUMANODE:
        ShowNode(object, depth);
        break;
      case HWLOC_OBJ_CORE:
      case HWLOC_OBJ_PU:
        AddCore(CpusOf(object->cpuset), depth);
        break;
      case HWLOC_OBJ_PCI_DEVICE:
        ShowPcie(object, depth);
        break;
      default:
        Children(object, depth);
        break;  // caches, groups, bridges
    }
  }

  void ShowNode(const hwloc_obj* node, std::size_t depth) {
    char text[64];
    const double gibibytes = static_cast<double>(node->attr->numanode.local_memory) / (1U << 30);
    std::snprintf(text, sizeof text, "NUMA node %u, %.1f GiB", node->os_index, gibibytes);
    FlushCores();
    const NumaNode* known = marks_.map.FindNode(node->os_index);
    const bool is_withheld = known != nullptr && !known->is_usable;
    const bool is_chosen = marks_.placement.memory_node == node->os_index;
    Line(depth, text, is_chosen ? "memory" : is_withheld ? std::string(kWithheld) : "");
    Children(node, depth + 1);
  }

  // Where several functions hang, only those with a name say something.
  void ShowPcie(const hwloc_obj* pcie, std::size_t depth) {
    const std::string names = NamesOf(pcie);
    const bool is_device = marks_.device != nullptr && IsAt(marks_.device, pcie);
    if (names.empty() && !is_device) return;
    char address[32];
    const auto& bus = pcie->attr->pcidev;
    std::snprintf(address, sizeof address, "%04x:%02x:%02x.%01x", unsigned{bus.domain},
                  unsigned{bus.bus}, unsigned{bus.dev}, unsigned{bus.func});
    Line(depth, "PCIe " + std::string(address) + (names.empty() ? "" : ": " + names),
         is_device ? std::string(marks_.device_name) : "");
  }

  // Cores that have nothing to say stand in one line.
  void AddCore(const std::vector<unsigned>& cpus, std::size_t depth) {
    const std::string mark = MarkOf(cpus);
    if (mark != mark_ || depth != depth_ || !IsFoldable(mark)) FlushCores();
    mark_ = mark;
    depth_ = depth;
    ++cores_;
    cpus_.insert(cpus_.end(), cpus.begin(), cpus.end());
  }

  static bool IsFoldable(const std::string& mark) { return mark.empty() || mark == kWithheld; }

  std::string MarkOf(const std::vector<unsigned>& cpus) const {
    const Placement& placement = marks_.placement;
    const std::vector<unsigned>& workers = placement.worker_cpus;
    std::string mark;
    for (const unsigned cpu : cpus) {
      const auto count = std::count(workers.begin(), workers.end(), cpu);
      const bool is_session = placement.session_cpu == cpu;
      if (count == 0 && !is_session) continue;
      std::string who = count > 1 ? std::to_string(count) + " workers" : count == 1 ? "worker" : "";
      if (is_session) who += who.empty() ? "session" : " and session";
      AppendWord(mark, who);
      if (cpus.size() > 1) mark += " on cpu " + std::to_string(cpu);
    }
    if (!mark.empty()) return mark;
    const auto is_usable = [this](unsigned cpu) { return marks_.map.CoreOf(cpu) != nullptr; };
    return std::any_of(cpus.begin(), cpus.end(), is_usable) ? "" : std::string(kWithheld);
  }

  void FlushCores() {
    if (cores_ == 0) return;
    const std::string what = cores_ == 1 ? "core" : std::to_string(cores_) + " cores";
    Line(depth_, what + (cpus_.size() == 1 ? ", cpu " : ", cpus ") + CpuListText(cpus_, ", "),
         mark_);
    cores_ = 0;
    cpus_.clear();
  }

  const TreeMarks& marks_;
  std::string text_;
  // The line of cores that is being gathered.
  std::size_t cores_ = 0;
  std::vector<unsigned> cpus_;
  std::string mark_;
  std::size_t depth_ = 0;
};

}  // namespace

std::vector<unsigned> CpusOf(const hwloc_bitmap_s* set) {
  std::vector<unsigned> cpus;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) {
    cpus.push_back(static_cast<unsigned>(cpu));
  }
  return cpus;
}

std::string RenderTree(hwloc_topology* topology, const TreeMarks& marks) {
  return Tree(marks).Render(topology);
}

}  // namespace rdmabench
