// Where the workers of a side and their memory were found, by the kernel's word.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/host.h"
#include "transport/json_reader.h"
#include "transport/page_nodes.h"

namespace rdmabench {

struct Whereabouts {
  // One a worker, when its last run ended; empty: they had nothing to do.
  std::vector<std::uint64_t> ran_on_cpus;
  // The NUMA node of each of these, and how far it is from the worker's device, as the firmware
  // tells it (0: not known). Empty: the machine has one node, or they are not known.
  std::vector<std::uint64_t> ran_on_nodes = {};
  std::vector<std::uint64_t> distances = {};
  // Of a worker's messages each: 0 where the kernel does not say, or no node was chosen. Empty: the
  // processor does not reach them.
  std::vector<PageCount> pages;

  bool operator==(const Whereabouts&) const = default;
};

nlohmann::json WhereaboutsToJson(const Whereabouts& found);
// Checks every field; throws Error(kRun).
Whereabouts WhereaboutsFromJson(JsonReader reader);

// Of the runs of a session it keeps the last cpus, the largest distance and the smallest share of
// pages. Worker i is of
// device i modulo their number.
void Note(const Whereabouts& found, report::Host& host);

// What runs of another session have shown of a host, into its description in this one.
void CarryOver(const report::Host& before, report::Host& host);

}  // namespace rdmabench
