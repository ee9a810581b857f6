#include "cmd/placement_options.h"

#include <string>
#include <vector>

#include "cmd/option_group.h"
#include "transport/cpu_list.h"
#include "transport/error.h"
#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

constexpr const char* kTitle = "Placement";

std::vector<unsigned> ParseCpus(const std::string& option, const std::string& text) {
  if (auto cpus = ParseCpuList(text)) return std::move(*cpus);
  throw Error(Blame::kUsage, option + " '" + text + "' is no list of cpus: " + WhyNoCpuList(text),
              "list each once, as in " + option + " 2,4-6");
}

unsigned ParseNode(const std::string& option, const std::string& text) {
  if (const auto node = ParseUnsigned(text, kNumaNode.high)) return static_cast<unsigned>(*node);
  throw Error(
      Blame::kUsage,
      option + " '" + text + "' is no number of a NUMA node; allowed are " + kNumaNode.ToString(),
      "give the number of a node, as 'rdmabench devices' and lscpu list them");
}

// `Node` is an optional number.
template <class Node>
void AddNode(OptionGroup& group, const std::string& option, Node& node, const std::string& help) {
  group.Add(option, "N", help + " (" + kNumaNode.ToString() + ")",
            [option, &node](const std::string& text) { node = ParseNode(option, text); });
}

}  // namespace

void AddPlacementOptions(CLI::App& app, PlacementChoice& choice) {
  OptionGroup group(app, kTitle);
  group.Add("--cpus,--pin-cores", "LIST",
            "workers on exactly these, in this order: 2,4-6; more workers than that share them; "
            "default: distinct cores near the device",
            [&choice](const std::string& text) { choice.cpus = ParseCpus("--cpus", text); });
  AddNode(group, "--numa-node", choice.numa_node,
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
  AddNode(group, "--remote-numa-node", remote.numa_node,
          "--numa-node of the server, unless it was started with another");
}

void CheckPlacementOptions(const PlacementChoice& choice) {
  if (choice.pin || choice.cpus.empty()) return;
  throw Error(Blame::kUsage, "--no-pin does not go with --cpus", "leave one of them out");
}

}  // namespace rdmabench
