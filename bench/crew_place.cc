// The part of a crew that tells where its workers and their memory are.
#include <algorithm>

#include "bench/crew.h"
#include "transport/page_nodes.h"

namespace rdmabench {

Whereabouts Crew::whereabouts() const {
  Whereabouts found;
  const auto is_known = [](int cpu) { return cpu >= 0; };
  if (std::all_of(ran_on_.begin(), ran_on_.end(), is_known)) {
    found.ran_on_cpus.assign(ran_on_.begin(), ran_on_.end());
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
