#include "report/text_cost.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "report/printable.h"
#include "report/text_quantity.h"

namespace rdmabench::report {
namespace {

struct BoundWords {
  std::string_view name;
  std::string_view words;  // "97.3 % of WORDS"
};

constexpr BoundWords kWords[] = {
    {"link", "the link's payload limit"},
    {"pcie_client", "the client's PCIe limit"},
    {"pcie_server", "the server's PCIe limit"},
    {"window", "what can be in flight"},
};

std::string WordsOf(const Bound& bound) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const BoundWords& row) { return row.name == bound.name; });
  return found == std::end(kWords) ? Printable(bound.name) : std::string(found->words);
}

std::string PerMessage(std::string_view side, const std::optional<CpuCost>& cost,
                       std::uint64_t messages) {
  if (!cost || messages == 0) return {};
  const double seconds = cost->process.Sum() / static_cast<double>(messages);
  return std::string(side) + " " + Fixed(seconds * 1e6, 3) + " us";
}

}  // namespace

std::string RenderBounds(std::span<const Result* const> results) {
  const Result* nearest = nullptr;
  for (const Result* result : results) {
    if (!result->bounds) continue;
    const auto share = [](const Result& of) { return of.bounds->achieved_share.value_or(-1.0); };
    if (nearest == nullptr || share(*result) > share(*nearest)) nearest = result;
  }
  if (nearest == nullptr) return {};
  const Bounds& bounds = *nearest->bounds;
  if (!bounds.lowest || !bounds.achieved_share) {
    const std::string why = bounds.limits.empty() ? "" : ": " + Printable(bounds.limits[0].text);
    return "  no bound of the rate is known" + why + "\n";
  }
  const Bound& lowest = bounds.limits[*bounds.lowest];
  return "  " + Fixed(*bounds.achieved_share * 100.0, 1) + " % of " + WordsOf(lowest) + " at " +
         Size(nearest->message_bytes) + " (" + Fixed(Gbps(*lowest.bytes_per_second), 2) +
         " Gb/s: " + Printable(lowest.text) + ")\n";
}

std::string RenderCpu(std::span<const Result* const> results) {
  const Result& last = *results.back();
  const std::string client = PerMessage("client", last.cpu.client, last.messages);
  const std::string server = PerMessage("server", last.cpu.server, last.messages);
  if (client.empty() && server.empty()) return {};
  return "  processor time of a message at " + Size(last.message_bytes) + ": " + client +
         (client.empty() || server.empty() ? "" : ", ") + server + "\n";
}

}  // namespace rdmabench::report
