#include "bench/placement_choice.h"

#include <algorithm>
#include <string>

#include "transport/cpu_list.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

[[noreturn]] void Refuse(const std::string& asked, const std::string& own) {
  throw Error(Blame::kRun, asked + " does not go with the server's own " + own,
              "leave it out, or start the server without " + own);
}

std::string CpusOption(const std::vector<unsigned>& cpus) { return "--cpus " + CpuListText(cpus); }

std::string NodeOption(unsigned node) { return "--numa-node " + std::to_string(node); }

}  // namespace

PlacementChoice Grant(const PlacementChoice& own, const RemoteOptions& asked) {
  if (asked.cpus.empty() && !asked.numa_node) return own;
  PlacementChoice granted = own;
  granted.is_of_the_peer = true;
  if (asked.numa_node) {
    const std::string option = "--remote-" + NodeOption(*asked.numa_node).substr(2);
    if (own.numa_node && own.numa_node != asked.numa_node)
      Refuse(option, NodeOption(*own.numa_node));
    if (!own.cpus.empty()) Refuse(option, CpusOption(own.cpus));
    granted.numa_node = asked.numa_node;
  }
  if (asked.cpus.empty()) return granted;
  granted.cpus.assign(asked.cpus.begin(), asked.cpus.end());
  const std::string option = "--remote-" + CpusOption(granted.cpus).substr(2);
  if (!own.pin) Refuse(option, "--no-pin");
  const auto is_own = [&](unsigned cpu) {
    return std::find(own.cpus.begin(), own.cpus.end(), cpu) != own.cpus.end();
  };
  if (!own.cpus.empty()) {
    if (!std::all_of(granted.cpus.begin(), granted.cpus.end(), is_own)) {
      Refuse(option, CpusOption(own.cpus));
    }
  } else if (own.numa_node) {
    Refuse(option, NodeOption(*own.numa_node));
  }
  return granted;
}

}  // namespace rdmabench
