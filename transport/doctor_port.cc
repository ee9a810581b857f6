#include "transport/doctor_port.h"

#include <algorithm>
#include <string>
#include <utility>

#include "transport/device_sysfs.h"
#include "transport/joined.h"
#include "transport/netdev_mtu.h"

namespace rdmabench {
namespace {

constexpr unsigned kPriorities = 8;
// The congestion points of MLNX_OFED's sysfs: who slows down, and who tells.
constexpr const char* kEcnPoints[] = {"roce_rp", "roce_np"};

bool IsActive(const PortInfo& port) { return port.state == IBV_PORT_ACTIVE; }
bool IsRoce(const PortInfo& port) { return port.link_layer == "ethernet"; }

std::string PortName(const DeviceInfo& device, const PortInfo& port) {
  return "port " + std::to_string(port.number) + " of " + device.name;
}

std::string PortFolder(const DeviceInfo& device, const PortInfo& port) {
  return "/sys/class/infiniband/" + device.name + "/ports/" + std::to_string(port.number);
}

using Look = std::optional<Symptom> (*)(const Machine&, const DeviceInfo&, const PortInfo&);

std::vector<Symptom> ForActivePorts(const Machine& machine, Look look) {
  std::vector<Symptom> symptoms;
  for (const DeviceInfo& device : machine.devices) {
    for (const PortInfo& port : device.ports) {
      if (!IsActive(port)) continue;
      if (std::optional<Symptom> symptom = look(machine, device, port)) {
        symptoms.push_back(std::move(*symptom));
      }
    }
  }
  return symptoms;
}

std::optional<Symptom> SlowEthernet(const Machine& machine, const DeviceInfo& device,
                                    const PortInfo& port) {
  const std::string netdev = NetdevOf(device, port);
  const auto most = machine.most_gbps.find(netdev);
  if (most == machine.most_gbps.end() || !port.data_gbps || *port.data_gbps >= most->second) {
    return std::nullopt;
  }
  return Symptom{.what = PortName(device, port) + " runs at " + GbpsText(*port.data_gbps) + " of " +
                         GbpsText(most->second),
                 .evidence = "/sys/class/net/" + netdev + "/speed; ethtool " + netdev +
                             ": supported link modes up to " + GbpsText(most->second),
                 .remedy = "check cable, module and the switch port's speed; ethtool " + netdev +
                           " shows what is advertised"};
}

// Which speed the port could do, the kernel does not tell; a cable has four lanes, or two where it
// is split, and a link that has failed to train falls back to one, or to SDR.
std::optional<Symptom> SlowInfiniBand(const Machine& machine, const DeviceInfo& device,
                                      const PortInfo& port) {
  const std::string file = PortFolder(device, port) + "/rate";
  const std::string rate = machine.files.Line(file).value_or("");
  if (rate.find("(1X") == std::string::npos && !rate.ends_with(" SDR)")) return std::nullopt;
  return Symptom{.what = PortName(device, port) + " runs at " + rate,
                 .evidence = Said(file, rate),
                 .remedy =
                     "reseat or replace the cable; iblinkinfo shows both ends' widths and "
                     "speeds"};
}

std::optional<Symptom> SlowLink(const Machine& machine, const DeviceInfo& device,
                                const PortInfo& port) {
  if (IsSoftwareDriver(device.driver)) return std::nullopt;
  return IsRoce(port) ? SlowEthernet(machine, device, port) : SlowInfiniBand(machine, device, port);
}

std::optional<Symptom> SmallMtu(const Machine& machine, const DeviceInfo& device,
                                const PortInfo& port) {
  if (port.active_mtu_bytes == 0 || port.active_mtu_bytes >= port.max_mtu_bytes) {
    return std::nullopt;
  }
  const std::string netdev = NetdevOf(device, port);
  const std::string active = std::to_string(port.active_mtu_bytes);
  Symptom symptom{.what = PortName(device, port) + " has an MTU of " + active +
                          ", and could have " + std::to_string(port.max_mtu_bytes),
                  .evidence = "ibv_query_port: active_mtu " + active,
                  .remedy =
                      "set the subnet's MTU in the subnet manager (opensm's "
                      "partitions.conf, mtu=5)"};
  if (IsRoce(port) && !netdev.empty()) {
    const std::optional<std::uint32_t> mtu = MtuOf(machine.files, netdev);
    symptom.evidence += "; " + Said(MtuFile(netdev), mtu ? std::to_string(*mtu) : "not known");
    symptom.remedy =
        "ip link set dev " + netdev +
        " mtu 9000 (4200 is enough) on both hosts, and as much on the switches between";
  }
  return symptom;
}

std::optional<Symptom> NoGid(const Machine& machine, const DeviceInfo& device,
                             const PortInfo& port) {
  const auto is_routable = [](const Gid& gid) { return !gid.IsLinkLocal(); };
  if (!IsRoce(port) || std::any_of(port.gids.begin(), port.gids.end(), is_routable)) {
    return std::nullopt;
  }
  const bool is_none = port.gids.empty();
  // Of the index that was asked for: CheckGids() says so.
  if (is_none && !machine.missing_gids.empty()) return std::nullopt;
  const std::string netdev = NetdevOf(device, port);
  return Symptom{
      .what = PortName(device, port) + " has no " + (is_none ? "GID" : "routable GID"),
      .evidence = "ibv_query_gid_table: " +
                  (is_none ? "none in use" : port.gids.front().Text() + " and no other kind"),
      .remedy = "ip addr add ADDRESS/PREFIX dev " + (netdev.empty() ? "NETDEV" : netdev) +
                "; -x is to name a routable one (rdmabench devices)",
      .severity = is_none ? std::optional(Severity::kSevere) : std::nullopt};
}

// Of an interface that RoCE uses, where its driver tells.
const FlowControl* FlowOf(const Machine& machine, const DeviceInfo& device, const PortInfo& port) {
  const auto found = machine.flow_control.find(NetdevOf(device, port));
  return IsRoce(port) && found != machine.flow_control.end() ? &found->second : nullptr;
}

std::optional<Symptom> NoPfc(const Machine& machine, const DeviceInfo& device,
                             const PortInfo& port) {
  const FlowControl* flow = FlowOf(machine, device, port);
  if (flow == nullptr || flow->lossless_priorities != 0) return std::nullopt;
  const std::string netdev = NetdevOf(device, port);
  return Symptom{.what = "no priority of " + netdev + " is lossless",
                 .evidence = "dcb pfc show dev " + netdev + ": none enabled",
                 .remedy = "dcb pfc set dev " + netdev +
                           " prio-pfc all:off 3:on, and the same on the switches; or rely on ECN "
                           "alone"};
}

std::optional<Symptom> NoDscpTrust(const Machine& machine, const DeviceInfo& device,
                                   const PortInfo& port) {
  // Untagged packets go to priority 0 where no DSCP says otherwise.
  constexpr unsigned kUntagged = 1U;
  const FlowControl* flow = FlowOf(machine, device, port);
  if (flow == nullptr || flow->trusts_dscp) return std::nullopt;
  const unsigned lossless = flow->lossless_priorities;
  if (lossless == 0 || (lossless & kUntagged) != 0) return std::nullopt;
  const std::string netdev = NetdevOf(device, port);
  return Symptom{
      .what = netdev + " trusts no DSCP, and its lossless priorities are " + Priorities(lossless),
      .evidence = "dcb app show dev " + netdev + ": no dscp-prio",
      .remedy = "mlnx_qos -i " + netdev + " --trust dscp, or dcb app add dev " + netdev +
                " dscp-prio 26:3, and run with --dscp 26"};
}

std::optional<Symptom> NoEcn(const Machine& machine, const DeviceInfo& device,
                             const PortInfo& port) {
  const std::string netdev = NetdevOf(device, port);
  if (!IsRoce(port) || netdev.empty()) return std::nullopt;
  std::string off;
  for (const char* point : kEcnPoints) {
    const std::optional<unsigned> priorities = EcnPriorities(machine.files, netdev, point);
    if (!priorities || *priorities != 0) continue;
    const std::string file = JoinPath({"/sys/class/net", netdev, "ecn", point, "enable/*"});
    AppendWord(off, Said(file, "0"), "; ");
  }
  if (off.empty()) return std::nullopt;
  return Symptom{.what = "congestion notification is switched off on " + netdev,
                 .evidence = off,
                 .remedy =
                     "echo 1 to those files for the priority that RoCE has, and mark ECN on "
                     "the switches"};
}

}  // namespace

std::string Priorities(unsigned bits) {
  std::string text;
  for (unsigned i = 0; i < kPriorities; ++i) {
    if ((bits >> i & 1U) != 0) AppendWord(text, std::to_string(i));
  }
  return text.empty() ? "none" : text;
}

std::optional<unsigned> EcnPriorities(const FileTree& files, const std::string& netdev,
                                      const std::string& point) {
  const std::string folder = "/sys/class/net/" + netdev + "/ecn/" + point + "/enable/";
  std::optional<unsigned> bits;
  for (unsigned i = 0; i < kPriorities; ++i) {
    const auto enabled = files.Number(folder + std::to_string(i));
    if (enabled) bits = bits.value_or(0U) | (*enabled != 0.0 ? 1U << i : 0U);
  }
  return bits;
}

std::vector<Symptom> CheckSoftwareDevice(const Machine& machine) {
  std::vector<Symptom> symptoms;
  for (const DeviceInfo& device : machine.devices) {
    if (!IsSoftwareDriver(device.driver)) continue;
    const std::string netdev = device.netdev.empty() ? "a network interface" : device.netdev;
    const std::string file = "/sys/class/infiniband/" + device.name + "/parent";
    const std::optional<std::string> parent = machine.files.Line(file);
    symptoms.push_back({.what = device.name + " is software, " + device.driver + " on " + netdev,
                        .evidence = parent ? Said(file, *parent) : "driver: " + device.driver,
                        .remedy = "measure with -d and an adapter's device"});
  }
  return symptoms;
}

std::vector<Symptom> CheckPortState(const Machine& machine) {
  bool any_active = false;
  for (const DeviceInfo& device : machine.devices) {
    any_active = any_active || std::any_of(device.ports.begin(), device.ports.end(), IsActive);
  }
  // A port that nobody asked for may be one without a cable.
  const bool is_needed = machine.chosen || !any_active;
  std::vector<Symptom> symptoms;
  for (const Error& error : machine.missing_ports) {
    symptoms.push_back({.what = error.what(),
                        .evidence = "ibv_query_device: phys_port_cnt",
                        .remedy = error.remedy(),
                        .severity = Severity::kSevere});
  }
  for (const DeviceInfo& device : machine.devices) {
    for (const PortInfo& port : device.ports) {
      if (IsActive(port)) continue;
      const std::string file = PortFolder(device, port) + "/state";
      const std::string state = machine.files.Line(file).value_or("");
      const std::string phys_state =
          machine.files.Line(PortFolder(device, port) + "/phys_state").value_or("not known");
      const std::string verbs_state(PortStateName(port.state));
      const std::string netdev = NetdevOf(device, port);
      const bool is_waiting = !IsRoce(port) && port.state != IBV_PORT_DOWN;
      symptoms.push_back(
          {.what = PortName(device, port) + " is not active but " + verbs_state,
           .evidence = state.empty() ? Said("ibv_query_port", verbs_state)
                                     : Said(file, state) + Said("; phys_state", phys_state),
           .remedy = is_waiting ? "start a subnet manager (opensm) on this fabric"
                     : netdev.empty()
                         ? "check cable and switch port"
                         : "ip link set dev " + netdev + " up; check cable and switch port",
           .severity = is_needed ? std::optional(Severity::kSevere) : std::nullopt});
    }
  }
  return symptoms;
}

std::vector<Symptom> CheckLinkRate(const Machine& machine) {
  return ForActivePorts(machine, SlowLink);
}

std::vector<Symptom> CheckMtu(const Machine& machine) { return ForActivePorts(machine, SmallMtu); }

std::vector<Symptom> CheckGids(const Machine& machine) {
  const auto has_gid = [](const PortInfo& port) { return IsActive(port) && !port.gids.empty(); };
  const bool any_has =
      std::any_of(machine.devices.begin(), machine.devices.end(), [&](const DeviceInfo& device) {
        return std::any_of(device.ports.begin(), device.ports.end(), has_gid);
      });
  // An index that is in use elsewhere may be meant for that port alone.
  const bool is_needed = machine.chosen || !any_has;
  std::vector<Symptom> symptoms = ForActivePorts(machine, NoGid);
  for (const Error& error : machine.missing_gids) {
    symptoms.push_back({.what = error.what(),
                        .evidence = Said("ibv_query_gid_table", error.remedy()),
                        .remedy = "choose one with -x that is in use, or leave -x out",
                        .severity = is_needed ? std::optional(Severity::kSevere) : std::nullopt});
  }
  return symptoms;
}

std::vector<Symptom> CheckPfc(const Machine& machine) { return ForActivePorts(machine, NoPfc); }

std::vector<Symptom> CheckDscpTrust(const Machine& machine) {
  return ForActivePorts(machine, NoDscpTrust);
}

std::vector<Symptom> CheckEcn(const Machine& machine) { return ForActivePorts(machine, NoEcn); }

}  // namespace rdmabench
