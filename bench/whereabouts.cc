#include "bench/whereabouts.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "transport/cpu_list.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::size_t kMostWorkers = 65536;

void NoteAt(const Whereabouts& found, report::Placement& placement) {
  if (!found.ran_on_cpus.empty()) {
    placement.ran_on_cpus.assign(found.ran_on_cpus.begin(), found.ran_on_cpus.end());
  }
  if (found.pages_asked == 0) return;
  const double share =
      static_cast<double>(found.pages_on_node) / static_cast<double>(found.pages_asked);
  placement.pages_on_node = std::min(placement.pages_on_node.value_or(1.0), share);
}

}  // namespace

nlohmann::json WhereaboutsToJson(const Whereabouts& found) {
  return {{"ran_on_cpus", found.ran_on_cpus},
          {"pages_asked", found.pages_asked},
          {"pages_on_node", found.pages_on_node}};
}

Whereabouts WhereaboutsFromJson(JsonReader reader) {
  Whereabouts found;
  found.ran_on_cpus = reader.Numbers("ran_on_cpus", 0, kMostCpu, kMostWorkers);
  found.pages_asked = reader.Number("pages_asked", 0, kMost);
  found.pages_on_node = reader.Number("pages_on_node", 0, found.pages_asked);
  reader.Done();
  return found;
}

void Note(const Whereabouts& found, report::Host& host) {
  if (host.rails.empty()) {
    if (host.placement) NoteAt(found, *host.placement);
    return;
  }
  for (std::size_t rail = 0; rail < host.rails.size(); ++rail) {
    Whereabouts part = found;
    part.ran_on_cpus.clear();
    for (std::size_t i = rail; i < found.ran_on_cpus.size(); i += host.rails.size()) {
      part.ran_on_cpus.push_back(found.ran_on_cpus[i]);
    }
    NoteAt(part, host.rails[rail].placement);
  }
  host.placement = host.rails.front().placement;
}

}  // namespace rdmabench
