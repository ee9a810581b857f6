// Where the workers of a side and their memory were found, by the kernel's word.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "report/host.h"
#include "transport/json_reader.h"

namespace rdmabench {

// Pages of a worker's messages' memory of which the kernel told where they are, and of these those
// on the node that was chosen; 0: it does not say, or nothing was chosen.
struct PagesFound {
  std::uint64_t asked = 0;
  std::uint64_t on_node = 0;

  bool operator==(const PagesFound&) const = default;
};

struct Whereabouts {
  // One a worker, when its last run ended; empty: they had nothing to do.
  std::vector<std::uint64_t> ran_on_cpus;
  std::vector<PagesFound> pages;  // one a worker; empty: the processor does not reach them

  bool operator==(const Whereabouts&) const = default;
};

nlohmann::json WhereaboutsToJson(const Whereabouts& found);
// Checks every field; throws Error(kRun).
Whereabouts WhereaboutsFromJson(JsonReader reader);

// Of the runs of a session it keeps the last cpus, and the smallest share of pages. Worker i is of
// device i modulo their number.
void Note(const Whereabouts& found, report::Host& host);

// What runs of another session have shown of a host, into its description in this one.
void CarryOver(const report::Host& before, report::Host& host);

}  // namespace rdmabench
