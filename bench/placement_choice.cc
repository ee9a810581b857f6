#include "bench/placement_choice.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "transport/cpu_list.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

[[noreturn]] void Refuse(const std::string& asked, const std::string& own) {
  throw Error(Blame::kRun, asked + " does not go with the server's own " + own,
              "leave it out, or start the server without " + own);
}

constexpr std::string_view kCpusOption = "--remote-cpus";
constexpr std::string_view kNodeOption = "--remote-numa-node";

std::string CpusOf(const PlacementChoice& choice) {
  return std::string(choice.cpus_option) + " " + CpuListText(choice.cpus);
}

std::string NodeOf(const PlacementChoice& choice) {
  return std::string(choice.node_option) + " " + std::to_string(*choice.numa_node);
}

void GrantNode(const PlacementChoice& own, std::uint32_t node, PlacementChoice& granted) {
  granted.numa_node = node;
  granted.node_option = kNodeOption;
  if (own.numa_node && *own.numa_node != node) Refuse(NodeOf(granted), NodeOf(own));
  if (!own.cpus.empty()) Refuse(NodeOf(granted), CpusOf(own));
}

void GrantCpus(const PlacementChoice& own, const std::vector<std::uint64_t>& cpus,
               PlacementChoice& granted) {
  granted.cpus.assign(cpus.begin(), cpus.end());
  granted.cpus_option = kCpusOption;
  if (!own.pin) Refuse(CpusOf(granted), "--no-pin");
  if (own.cpus.empty()) {
    if (own.numa_node) Refuse(CpusOf(granted), NodeOf(own));
    return;
  }
  const auto is_own = [&](unsigned cpu) {
    return std::find(own.cpus.begin(), own.cpus.end(), cpu) != own.cpus.end();
  };
  if (std::all_of(granted.cpus.begin(), granted.cpus.end(), is_own)) return;
  Refuse(CpusOf(granted), CpusOf(own));
}

}  // namespace

PlacementChoice Grant(const PlacementChoice& own, const RemoteOptions& asked) {
  PlacementChoice granted = own;
  if (asked.numa_node) GrantNode(own, *asked.numa_node, granted);
  if (!asked.cpus.empty()) GrantCpus(own, asked.cpus, granted);
  return granted;
}

}  // namespace rdmabench
