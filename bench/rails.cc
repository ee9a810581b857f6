#include "bench/rails.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "transport/error.h"
#include "transport/joined.h"
#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

constexpr std::string_view kOwnOption = "--ib-dev";
constexpr std::string_view kRemoteOption = "--remote-device";

std::string NamesOf(std::span<const OpenPort> ports) {
  std::vector<std::string> names;
  for (const OpenPort& port : ports) names.push_back(NameOf(port.device, port.port));
  return ListText(names);
}

std::string NamesOf(std::span<const Offer> offers) {
  std::vector<std::string> names;
  for (const Offer& offer : offers) names.push_back(offer.device);
  return ListText(names);
}

std::string Counted(std::size_t count) {
  return std::to_string(count) + (count == 1 ? " device" : " devices");
}

struct NamedPort {
  std::string device;
  PortInfo port;
};

// Of all devices. `number`: no port of another number; absent: any. `skipped`: see ListDevices().
std::vector<NamedPort> ActivePorts(std::optional<int> number, std::vector<std::string>* skipped) {
  std::vector<NamedPort> ports;
  for (const DeviceInfo& device : ListDevices(skipped)) {
    for (const PortInfo& port : device.ports) {
      if (port.state != IBV_PORT_ACTIVE || (number && port.number != *number)) continue;
      ports.push_back({device.name, port});
    }
  }
  return ports;
}

OpenPort OpenOne(std::string_view device, std::optional<int> number) {
  OpenPort opened{.device = Device::Open(device), .port = {}};
  opened.port = opened.device.ActivePort(number);
  return opened;
}

OpenPort OpenDefault(const Local& local, std::string_view session_ip) {
  OpenPort opened{.device = Device::OpenFor(session_ip), .port = {}};
  opened.port = opened.device.ActivePort(local.port);
  return opened;
}

std::vector<OpenPort> OpenAll(std::optional<int> number, std::string_view link_layer) {
  std::vector<OpenPort> ports;
  std::vector<std::string> skipped;
  const std::vector<NamedPort> active = ActivePorts(number, &skipped);
  if (!skipped.empty()) {
    throw Error(
        Blame::kEnvironment,
        "\"all\" cannot be all devices: " + skipped.front() +
            (skipped.size() > 1 ? ", and " + std::to_string(skipped.size() - 1) + " more" : ""),
        "name the devices that are to be used, such as --ib-dev mlx5_0,mlx5_1");
  }
  for (const NamedPort& named : active) {
    if (named.port.link_layer != link_layer) continue;
    ports.push_back(OpenOne(named.device, named.port.number));
  }
  if (!ports.empty() && ports.size() <= kMostRails) return ports;
  throw Error(Blame::kEnvironment,
              std::to_string(ports.size()) + " active ports are of " + std::string(link_layer) +
                  ", and 1 to " + std::to_string(kMostRails) + " can be used at once",
              "name the devices, such as --ib-dev mlx5_0,mlx5_1");
}

// `number`: the port of those that name none.
std::vector<OpenPort> OpenNamed(std::span<const std::string> names, std::optional<int> number,
                                std::string_view option) {
  std::vector<OpenPort> ports;
  for (const std::string& name : names) {
    const std::optional<int> own = PortIn(name);
    OpenPort opened = OpenOne(DeviceIn(name), own ? own : number);
    const auto is_same = [&](const OpenPort& other) {
      return other.device.info().name == opened.device.info().name &&
             other.port.number == opened.port.number;
    };
    if (std::any_of(ports.begin(), ports.end(), is_same)) {
      RefuseTwice(option, names, opened.device.info().name, opened.port.number);
    }
    ports.push_back(std::move(opened));
  }
  return ports;
}

std::vector<OpenPort> OpenListed(std::span<const std::string> names, const Local& local,
                                 const RailRequest& request, PairedBy why) {
  const bool is_clients = why == PairedBy::kClient;
  std::vector<OpenPort> ports =
      IsAll(names) ? OpenAll(local.port, request.client.front().link_layer)
                   : OpenNamed(names, local.port, is_clients ? kRemoteOption : kOwnOption);
  if (ports.size() != request.client.size()) {
    throw Error(is_clients ? Blame::kUsage : Blame::kRun,
                "the client measures with " + Counted(request.client.size()) + " (" +
                    NamesOf(request.client) + "), the server with " + Counted(ports.size()) + " (" +
                    NamesOf(ports) + ")",
                is_clients ? "name as many with --remote-device as with --ib-dev"
                           : "name as many with --ib-dev as the server does, or start the server "
                             "without it: it then chooses");
  }
  for (OpenPort& port : ports) port.why = why;
  return ports;
}

// The server's own choice.
std::vector<OpenPort> OpenChosen(const RailRequest& request, const Local& local) {
  const std::vector<NamedPort> candidates = ActivePorts(local.port, nullptr);
  std::vector<PortInfo> own;
  std::vector<std::string> names;
  for (const NamedPort& candidate : candidates) {
    own.push_back(candidate.port);
    names.push_back(candidate.device);
  }
  const std::vector<std::optional<Pairing>> pairs = PairPorts({.client = request.client,
                                                               .own = own,
                                                               .client_ip = request.client_ip,
                                                               .server_ip = request.server_ip});
  std::vector<OpenPort> ports;
  // Of one device without a match the session's interface tells more than the order.
  if (candidates.empty() ||
      (pairs.size() == 1 && (!pairs[0] || pairs[0]->why == PairedBy::kOrder))) {
    ports.push_back(OpenDefault(local, request.server_ip));
    return ports;
  }
  for (const std::optional<Pairing>& pair : pairs) {
    if (!pair) {
      throw Error(Blame::kRun,
                  "the client measures with " + Counted(pairs.size()) + " (" +
                      NamesOf(request.client) + "), and the server's active ports of " +
                      request.client.front().link_layer + " do not suffice (" + ListText(names) +
                      ")",
                  "name fewer with --ib-dev, or bring more of the server's ports up");
    }
    ports.push_back(OpenOne(names[pair->own], own[pair->own].number));
    ports.back().why = pair->why;
  }
  return ports;
}

}  // namespace

bool IsAll(std::span<const std::string> devices) {
  return devices.size() == 1 && devices.front() == "all";
}

void RefuseTwice(std::string_view option, std::span<const std::string> names,
                 const std::string& device, std::optional<int> port) {
  throw Error(Blame::kUsage,
              std::string(option) + " " + ListText(names) + " names " + device +
                  (port ? " port " + std::to_string(*port) : "") + " twice",
              "name each device once; --qp makes more queue pairs on it");
}

std::string ListText(std::span<const std::string> devices) { return Joined(devices, {}, ","); }

std::optional<int> PortIn(std::string_view name) {
  const std::size_t colon = name.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  constexpr std::uint64_t kMostPort = 255;
  if (const auto port = ParseUnsigned(name.substr(colon + 1), kMostPort)) {
    return static_cast<int>(*port);
  }
  throw Error(Blame::kUsage, "\"" + std::string(name) + "\" is no device and port",
              "a port follows the device's name as a number: mlx4_0:2");
}

std::string_view DeviceIn(std::string_view name) { return name.substr(0, name.rfind(':')); }

void CheckDeviceName(std::string_view name) {
  PortIn(name);
  if (!DeviceIn(name).empty()) return;
  throw Error(Blame::kUsage, "\"" + std::string(name) + "\" names no device",
              "rdmabench devices lists them");
}

void CheckDeviceNames(const Local& local) {
  std::set<std::string_view> names;
  for (const std::string& name : local.devices) {
    if (!names.insert(name).second) RefuseTwice(kOwnOption, local.devices, name);
  }
  for (const std::string& name : local.devices) {
    if (!PortIn(name) || !local.port) continue;
    throw Error(Blame::kUsage,
                "--ib-port " + std::to_string(*local.port) + " does not go with --ib-dev " + name +
                    ", which names a port",
                "leave one of them out");
  }
}

void RequireDevices(const Local& local) {
  if (IsAll(local.devices)) return;
  std::set<std::pair<std::string, std::optional<int>>> seen;
  for (const std::string& name : local.devices) {
    const std::string device = RequireDevice(DeviceIn(name));
    const std::optional<int> own = PortIn(name);
    const std::optional<int> port = own ? own : local.port;
    // An interface whose device is not known by now may be a second one's.
    if (device.empty() || seen.emplace(device, port).second) continue;
    RefuseTwice(kOwnOption, local.devices, device, port);
  }
}

void CheckDeviceLists(const Plan& plan, const Local& local) {
  const std::vector<std::string>& remote = plan.remote.devices;
  if (IsAll(local.devices)) return;
  const std::size_t rails = std::max<std::size_t>(local.devices.size(), 1);
  for (const TestPlan& test : plan.tests) CheckRails(test, rails);
  if (remote.empty() || IsAll(remote) || remote.size() == rails) return;
  throw Error(Blame::kUsage,
              "--remote-device " + ListText(remote) + " names " + Counted(remote.size()) +
                  ", and --ib-dev " +
                  (local.devices.empty() ? "is not given: one is used"
                                         : ListText(local.devices) + " names " + Counted(rails)),
              "name as many of the server's devices as of this side's");
}

std::vector<OpenPort> OpenRails(const Local& local, std::string_view session_ip) {
  if (local.devices.empty() || IsAll(local.devices)) {
    OpenPort one = OpenDefault(local, session_ip);
    if (!local.devices.empty()) return OpenAll(local.port, one.port.link_layer);
    std::vector<OpenPort> ports;
    ports.push_back(std::move(one));
    return ports;
  }
  return OpenNamed(local.devices, local.port, kOwnOption);
}

void CheckRemoteDevices(std::span<const std::string> remote, const Local& server) {
  for (const std::string& name : remote) CheckDeviceName(name);
  if (server.devices.empty() || remote.empty()) return;
  throw Error(Blame::kRun,
              "--remote-device " + ListText(remote) +
                  " was asked for, but the server was started with --ib-dev " +
                  ListText(server.devices),
              "leave --remote-device out, or start the server without --ib-dev");
}

std::vector<OpenPort> OpenRailsFor(const RailRequest& request, const Local& local) {
  CheckRemoteDevices(request.devices, local);
  if (!local.devices.empty()) return OpenListed(local.devices, local, request, PairedBy::kServer);
  if (!request.devices.empty()) {
    return OpenListed(request.devices, local, request, PairedBy::kClient);
  }
  return OpenChosen(request, local);
}

}  // namespace rdmabench
