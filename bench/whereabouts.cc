#include "bench/whereabouts.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>

#include "bench/clock_drift.h"
#include "bench/plan.h"
#include "transport/cpu_list.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::size_t kMostWorkers = 65536;
constexpr std::uint64_t kMostDistance = 65535;

void NoteAt(const Whereabouts& found, report::Placement& placement) {
  if (!found.ran_on_cpus.empty()) {
    placement.ran_on_cpus.assign(found.ran_on_cpus.begin(), found.ran_on_cpus.end());
    placement.ran_on_nodes.assign(found.ran_on_nodes.begin(), found.ran_on_nodes.end());
  }
  for (const std::uint64_t distance : found.distances) {
    if (distance == 0) continue;
    placement.distance = std::max(placement.distance.value_or(0), static_cast<unsigned>(distance));
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
  if (before.worker_cpus == placement.worker_cpus) {
    placement.ran_on_cpus = before.ran_on_cpus;
    placement.ran_on_nodes = before.ran_on_nodes;
  }
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
  return {{"ran_on_cpus", found.ran_on_cpus},
          {"ran_on_nodes", found.ran_on_nodes},
          {"distances", found.distances},
          {"pages_asked", asked},
          {"pages_on_node", on_node}};
}

Whereabouts WhereaboutsFromJson(JsonReader reader) {
  Whereabouts found;
  found.ran_on_cpus = reader.Numbers("ran_on_cpus", 0, kMostCpu, kMostWorkers);
  found.ran_on_nodes = reader.Numbers("ran_on_nodes", kNumaNode.low, kNumaNode.high, kMostWorkers);
  found.distances = reader.Numbers("distances", 0, kMostDistance, kMostWorkers);
  const std::vector<std::uint64_t> asked =
      reader.Numbers("pages_asked", 0, kMostPagesAsked, kMostWorkers);
  const std::vector<std::uint64_t> on_node =
      reader.Numbers("pages_on_node", 0, kMostPagesAsked, kMostWorkers);
  reader.Done();
  if ((!found.ran_on_nodes.empty() && found.ran_on_nodes.size() != found.ran_on_cpus.size()) ||
      found.distances.size() != found.ran_on_nodes.size()) {
    throw Error(Blame::kRun, reader.path() + ".ran_on_nodes are not those of ran_on_cpus");
  }
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
    const auto own = [&](const auto& workers) { return DealtTo(rail, host.rails.size(), workers); };
    NoteAt({.ran_on_cpus = own(found.ran_on_cpus),
            .ran_on_nodes = own(found.ran_on_nodes),
            .distances = own(found.distances),
            .pages = own(found.pages)},
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
