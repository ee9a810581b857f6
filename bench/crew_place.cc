// The part of a crew that tells where its workers and their memory are.
#include <algorithm>

#include "bench/crew.h"
#include "transport/page_nodes.h"

namespace rdmabench {

namespace {

// Of the cpus that the workers ran on: of all, or of none.
void NoteNodes(const Site& site, Whereabouts& found) {
  const CoreMap& map = site.locality.map();
  if (map.HasOneNode()) return;
  for (std::size_t i = 0; i < found.ran_on_cpus.size(); ++i) {
    const Core* core = map.CoreOf(static_cast<unsigned>(found.ran_on_cpus[i]));
    if (core == nullptr || !core->node) {
      found.ran_on_nodes.clear();
      found.distances.clear();
      return;
    }
    const std::optional<unsigned> home = site.RailOf(i).placement.device_node;
    const auto distance = home ? map.Distance(*core->node, *home) : std::nullopt;
    found.ran_on_nodes.push_back(*core->node);
    found.distances.push_back(distance.value_or(0));
  }
}

}  // namespace

Whereabouts Crew::whereabouts() const {
  Whereabouts found;
  const auto is_known = [](int cpu) { return cpu >= 0; };
  if (std::all_of(ran_on_.begin(), ran_on_.end(), is_known)) {
    found.ran_on_cpus.assign(ran_on_.begin(), ran_on_.end());
    NoteNodes(setting_.site, found);
  }
  if (!memory_kind().cpu_access) return found;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    PageCount& pages = found.pages.emplace_back();
    const std::optional<unsigned> node = setting_.site.RailOf(i).placement.memory_node;
    if (!node) continue;
    const MemoryRegion& memory = workers_[i]->endpoint().memory();
    pages = CountPagesOnNode({memory.data(), memory.size()}, *node).value_or(PageCount{});
  }
  return found;
}

}  // namespace rdmabench
