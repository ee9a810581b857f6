#include "transport/side_facts.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "transport/doctor_cpu.h"
#include "transport/doctor_port.h"
#include "transport/error.h"
#include "transport/joined.h"
#include "transport/netdev_mtu.h"

namespace rdmabench {
namespace {

using Read = std::optional<FactValue>;
using enum Severity;

Read Known(std::string text) {
  if (text.empty()) return std::nullopt;
  return FactValue(std::move(text));
}
Read Known(std::uint64_t number) {
  if (number == 0) return std::nullopt;
  return FactValue(number);
}

std::string Netdev(const UsedPort& used) {
  return used.port == nullptr ? std::string() : NetdevOf(*used.device, *used.port);
}

// "libibverbs.so.1.14.44.0" is of rdma-core 44.0.
Read RdmaCore(const UsedPort& used) {
  constexpr std::string_view kPrefix = "libibverbs.so.1.";
  const FileTree& files = used.machine.files;
  std::vector<std::string> folders = {"/usr/lib64", "/usr/lib"};
  for (const std::string& name : files.Entries("/usr/lib")) folders.push_back("/usr/lib/" + name);
  for (const std::string& folder : folders) {
    const std::string target = files.LinkedName(folder + "/libibverbs.so.1");
    if (!target.starts_with(kPrefix)) continue;
    const std::size_t dot = target.find('.', kPrefix.size());
    if (dot != std::string::npos) return Known(target.substr(dot + 1));
  }
  return std::nullopt;
}

Read Kernel(const UsedPort& used) {
  return Known(used.machine.files.Line("/proc/sys/kernel/osrelease").value_or(""));
}

Read DeviceText(const UsedPort& used, std::string DeviceInfo::*member) {
  return used.device == nullptr ? std::nullopt : Known(used.device->*member);
}

Read LinkRate(const UsedPort& used) {
  if (used.port == nullptr || !used.port->data_gbps) return std::nullopt;
  return Known(static_cast<std::uint64_t>(std::llround(*used.port->data_gbps * 1e9)));
}

Read NetdevMtu(const UsedPort& used) {
  return Known(std::uint64_t{MtuOf(used.machine.files, Netdev(used)).value_or(0)});
}

const FlowControl* FlowOf(const UsedPort& used) {
  const auto found = used.machine.flow_control.find(Netdev(used));
  return found == used.machine.flow_control.end() ? nullptr : &found->second;
}

Read Pfc(const UsedPort& used) {
  const FlowControl* flow = FlowOf(used);
  return flow == nullptr ? std::nullopt : Known(Priorities(flow->lossless_priorities));
}

Read DscpTrust(const UsedPort& used) {
  const FlowControl* flow = FlowOf(used);
  return flow == nullptr ? std::nullopt : Known(flow->trusts_dscp ? "yes" : "no");
}

Read Ecn(const UsedPort& used) {
  const auto bits = EcnPriorities(used.machine.files, Netdev(used), "roce_rp");
  return bits ? Known(Priorities(*bits)) : std::nullopt;
}

// MLNX_OFED's default for queue pairs that ask for no traffic class.
Read TrafficClass(const UsedPort& used) {
  if (used.port == nullptr) return std::nullopt;
  return Known(used.machine.files
                   .Line("/sys/class/infiniband/" + used.device->name + "/tc/" +
                         std::to_string(used.port->number) + "/traffic_class")
                   .value_or(""));
}

constexpr bool kText = false;
constexpr bool kNumber = true;

constexpr FactRow kFacts[] = {
    {"tool_version", kText,
     [](const UsedPort& used) { return Known(std::string(used.tool_version)); }},
    {"kernel", kText, Kernel},
    {"rdma_core", kText, RdmaCore},
    {"governor", kText, [](const UsedPort& used) { return Known(Governors(used.machine.files)); }},
    {"device", kText, [](const UsedPort& used) { return DeviceText(used, &DeviceInfo::name); }},
    {"driver", kText, [](const UsedPort& used) { return DeviceText(used, &DeviceInfo::driver); }},
    {"firmware", kText,
     [](const UsedPort& used) { return DeviceText(used, &DeviceInfo::firmware); }},
    {"port", kNumber,
     [](const UsedPort& used) {
       return used.port == nullptr ? Read() : Known(static_cast<std::uint64_t>(used.port->number));
     }},
    {"netdev", kText, [](const UsedPort& used) { return Known(Netdev(used)); }},
    {"link_layer", kText,
     [](const UsedPort& used) {
       return used.port == nullptr ? Read() : Known(used.port->link_layer);
     }},
    {"link_bits_per_second", kNumber, LinkRate},
    {"active_mtu_bytes", kNumber,
     [](const UsedPort& used) {
       return used.port == nullptr ? Read() : Known(std::uint64_t{used.port->active_mtu_bytes});
     }},
    {"netdev_mtu_bytes", kNumber, NetdevMtu},
    {"pfc_priorities", kText, Pfc},
    {"dscp_trust", kText, DscpTrust},
    {"ecn_priorities", kText, Ecn},
    {"traffic_class", kText, TrafficClass},
};

constexpr bool kOfPorts = true;

constexpr DifferenceRow kDifferences[] = {
    {"link_layer_differs",
     kSevere,
     "the link layers differ",
     "no queue pair connects",
     "choose ports of one kind with -d and -i",
     {"link_layer"},
     {},
     kOfPorts},
    {"tool_version_differs",
     kWarning,
     "the versions of rdmabench differ",
     "defaults and what is counted may not be the same",
     "install one version on both hosts",
     {"tool_version"}},
    {"link_differs",
     kWarning,
     "the links are not equally fast",
     "the slower one is measured",
     "choose ports of one speed, or see why one is slower",
     {"link_bits_per_second"},
     "link_layer",
     kOfPorts},
    {"mtu_differs",
     kWarning,
     "the MTUs differ",
     "the smaller one is used, and larger packets of other programs vanish where the link has no "
     "router between",
     "ip link set dev NETDEV mtu 9000 on both hosts, and as much on the switches between",
     {"active_mtu_bytes", "netdev_mtu_bytes"},
     "link_layer",
     kOfPorts},
    {"governor_differs",
     kWarning,
     "the frequency governors differ",
     "one end is slower: latency, and the rate of whichever end bounds it",
     "cpupower frequency-set -g performance on both hosts",
     {"governor"}},
    {"flow_control_differs",
     kWarning,
     "PFC, ECN or DSCP trust differ",
     "under congestion the two directions behave differently",
     "give both interfaces the same settings (dcb, mlnx_qos)",
     {"pfc_priorities", "dscp_trust", "ecn_priorities", "traffic_class"},
     {},
     kOfPorts},
    {"driver_differs",
     kNote,
     "the drivers differ",
     "what the lesser adapter can is measured",
     "choose devices of one kind with -d",
     {"driver"},
     {},
     kOfPorts},
    {"firmware_differs",
     kNote,
     "the firmware versions differ",
     "the two directions may behave differently",
     "bring both adapters to one firmware",
     {"firmware"},
     "driver",
     kOfPorts},
    {"kernel_differs",
     kNote,
     "the kernels differ",
     "of rdma_rxe and of interrupts, one end is another program",
     "boot one kernel on both hosts",
     {"kernel"}},
    {"rdma_core_differs",
     kNote,
     "the versions of rdma-core differ",
     "providers post and poll differently: rates of small messages",
     "install one version on both hosts",
     {"rdma_core"}},
};

const FactValue* Find(const SideFacts& side, std::string_view name) {
  const auto found = std::find_if(side.facts.begin(), side.facts.end(),
                                  [name](const Fact& fact) { return fact.name == name; });
  return found == side.facts.end() ? nullptr : &found->value;
}

bool AreEqual(const SideFacts& client, const SideFacts& server, std::string_view name) {
  const FactValue* one = Find(client, name);
  const FactValue* other = Find(server, name);
  return one != nullptr && other != nullptr && *one == *other;
}

// "mlx5_0 port 1 (eth2)".
std::string PortOf(const SideFacts& side) {
  const auto text = [&side](std::string_view before, std::string_view name, const char* after) {
    const FactValue* value = Find(side, name);
    return value == nullptr ? std::string() : std::string(before) + FactText(*value) + after;
  };
  const std::string port =
      text("", "device", "") + text(" port ", "port", "") + text(" (", "netdev", ")");
  return port.empty() ? "an unknown port" : port;
}

// "of client's mlx5_0 port 1 (eth2) and server's mlx5_1 port 1 (eth3): ", before what they differ
// in.
std::string PortsOf(const SideFacts& client, const SideFacts& server) {
  return "of client's " + PortOf(client) + " and server's " + PortOf(server) + ": ";
}

// "active_mtu_bytes: client 1024, server 4096" for those that differ.
std::string DifferencesIn(const DifferenceRow& row, const SideFacts& client,
                          const SideFacts& server) {
  std::string text;
  for (const std::string_view name : row.facts) {
    const FactValue* one = Find(client, name);
    const FactValue* other = Find(server, name);
    if (one == nullptr || other == nullptr || *one == *other) continue;
    AppendWord(text,
               std::string(name) + ": client " + FactText(*one) + ", server " + FactText(*other),
               "; ");
  }
  return text;
}

// Where both ports have GIDs to choose from.
std::optional<Finding> LacksGidPair(const GidQuestion& question, const std::string& ports) {
  try {
    ChooseGidPair(question);
    return std::nullopt;
  } catch (const Error& error) {
    return Finding{.id = std::string(kGidPair),
                   .severity = kSevere,
                   .side = "both",
                   .what = "no GIDs of the two ends can talk to each other",
                   .evidence = ports + error.what(),
                   .effect = "no queue pair connects",
                   .remedy = error.remedy()};
  }
}

}  // namespace

std::string FactText(const FactValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  return std::to_string(std::get<std::uint64_t>(value));
}

std::span<const FactRow> FactRows() { return kFacts; }
std::span<const DifferenceRow> DifferenceRows() { return kDifferences; }

SideFacts ReadFacts(const UsedPort& used) {
  SideFacts side;
  for (const FactRow& row : kFacts) {
    if (std::optional<FactValue> value = row.read(used)) {
      side.facts.push_back({row.name, std::move(*value)});
    }
  }
  if (used.port != nullptr) side.gids = used.port->gids;
  return side;
}

std::vector<Finding> Compare(const SideFacts& client, const SideFacts& server,
                             std::string_view client_ip, std::string_view server_ip) {
  std::vector<Finding> findings;
  for (const DifferenceRow& row : kDifferences) {
    if (!row.given.empty() && !AreEqual(client, server, row.given)) continue;
    std::string differences = DifferencesIn(row, client, server);
    if (differences.empty()) continue;
    if (row.is_of_ports) differences = PortsOf(client, server) + differences;
    findings.push_back({.id = std::string(row.id),
                        .severity = row.severity,
                        .side = "both",
                        .what = std::string(row.what),
                        .evidence = std::move(differences),
                        .effect = std::string(row.effect),
                        .remedy = std::string(row.remedy)});
  }
  const FactValue* layer = Find(client, "link_layer");
  const bool both_have_gids = !client.gids.empty() && !server.gids.empty();
  if (layer != nullptr && FactText(*layer) == "ethernet" && both_have_gids &&
      AreEqual(client, server, "link_layer")) {
    if (auto finding = LacksGidPair({client.gids, server.gids, client_ip, server_ip},
                                    PortsOf(client, server))) {
      findings.push_back(std::move(*finding));
    }
  }
  return findings;
}

}  // namespace rdmabench
