#include "cmd/placement_options.h"

#include <string>
#include <vector>

#include "cmd/option_group.h"
#include "transport/cpu_list.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr const char* kTitle = "Placement";

std::vector<unsigned> ParseCpus(const std::string& option, const std::string& text) {
  if (auto cpus = ParseCpuList(text)) return std::move(*cpus);
  throw Error(Blame::kUsage, option + " '" + text + "' is no list of cpus: " + WhyNoCpuList(text),
              "list each once, as in " + option + " 2,4-6");
}

}  // namespace

void AddPlacementOptions(CLI::App& app, PlacementChoice& choice) {
  OptionGroup group(app, kTitle);
  group.Add("--cpus,--pin-cores", "LIST",
            "workers on exactly these, in this order: 2,4-6; more workers than that share them; "
            "default: distinct cores near the device",
            [&choice](const std::string& text) { choice.cpus = ParseCpus("--cpus", text); });
  group.Number("--numa-node", choice.numa_node, kNumaNode,
               "memory, and workers where --cpus names none, on this node; default: the device's");
  group.Call("--no-pin", "let the system choose where threads run",
             [&choice] { choice.pin = false; });
}

void AddRemotePlacementOptions(CLI::App& app, RemoteOptions& remote) {
  OptionGroup group(app, kTitle);
  group.Add("--remote-cpus", "LIST", "--cpus of the server, within those that it was started with",
            [&remote](const std::string& text) {
              const std::vector<unsigned> cpus = ParseCpus("--remote-cpus", text);
              remote.cpus.assign(cpus.begin(), cpus.end());
            });
  group.Number("--remote-numa-node", remote.numa_node, kNumaNode,
               "--numa-node of the server, unless it was started with another");
}

void CheckPlacementOptions(const PlacementChoice& choice) {
  if (choice.pin || choice.cpus.empty()) return;
  throw Error(Blame::kUsage, "--no-pin does not go with --cpus", "leave one of them out");
}

}  // namespace rdmabench
