#include "bench/whereabouts.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "bench/clock_drift.h"
#include "transport/cpu_list.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::size_t kMostWorkers = 65536;

void NoteAt(const Whereabouts& found, report::Placement& placement) {
  if (!found.ran_on_cpus.empty()) {
    placement.ran_on_cpus.assign(found.ran_on_cpus.begin(), found.ran_on_cpus.end());
  }
  PageCount sum;
  for (const PageCount& pages : found.pages) sum += pages;
  if (sum.asked == 0) return;
  const double share = static_cast<double>(sum.on_node) / static_cast<double>(sum.asked);
  placement.pages_on_node = std::min(placement.pages_on_node.value_or(1.0), share);
}

// Of every so many workers the one at this place.
template <class Found>
std::vector<Found> DealtTo(std::size_t rail, std::size_t rails, const std::vector<Found>& workers) {
  std::vector<Found> own;
  for (std::size_t i = rail; i < workers.size(); i += rails) own.push_back(workers[i]);
  return own;
}

void CarryOverAt(const report::Placement& before, report::Placement& placement) {
  if (before.worker_cpus == placement.worker_cpus) placement.ran_on_cpus = before.ran_on_cpus;
  if (before.memory_node == placement.memory_node) placement.pages_on_node = before.pages_on_node;
}

}  // namespace

nlohmann::json WhereaboutsToJson(const Whereabouts& found) {
  std::vector<std::uint64_t> asked;
  std::vector<std::uint64_t> on_node;
  for (const PageCount& pages : found.pages) {
    asked.push_back(pages.asked);
    on_node.push_back(pages.on_node);
  }
  return {{"ran_on_cpus", found.ran_on_cpus}, {"pages_asked", asked}, {"pages_on_node", on_node}};
}

Whereabouts WhereaboutsFromJson(JsonReader reader) {
  Whereabouts found;
  found.ran_on_cpus = reader.Numbers("ran_on_cpus", 0, kMostCpu, kMostWorkers);
  const std::vector<std::uint64_t> asked =
      reader.Numbers("pages_asked", 0, kMostPagesAsked, kMostWorkers);
  const std::vector<std::uint64_t> on_node =
      reader.Numbers("pages_on_node", 0, kMostPagesAsked, kMostWorkers);
  reader.Done();
  for (std::size_t i = 0; i < asked.size() && i < on_node.size(); ++i) {
    if (on_node[i] <= asked[i]) found.pages.push_back({asked[i], on_node[i]});
  }
  if (found.pages.size() != asked.size() || asked.size() != on_node.size()) {
    throw Error(Blame::kRun, reader.path() + ".pages_on_node are not of pages_asked");
  }
  return found;
}

void Note(const Whereabouts& found, report::Host& host) {
  if (host.rails.empty()) {
    if (host.placement) NoteAt(found, *host.placement);
    return;
  }
  for (std::size_t rail = 0; rail < host.rails.size(); ++rail) {
    NoteAt({.ran_on_cpus = DealtTo(rail, host.rails.size(), found.ran_on_cpus),
            .pages = DealtTo(rail, host.rails.size(), found.pages)},
           host.rails[rail].placement);
  }
  host.placement = host.rails.front().placement;
}

void CarryOver(const report::Host& before, report::Host& host) {
  if (before.clock) NoteDrift(before.clock->drift_ppm, host);
  if (before.rails.size() != host.rails.size()) return;
  if (before.placement && host.placement) CarryOverAt(*before.placement, *host.placement);
  for (std::size_t rail = 0; rail < host.rails.size(); ++rail) {
    CarryOverAt(before.rails[rail].placement, host.rails[rail].placement);
  }
}

}  // namespace rdmabench
