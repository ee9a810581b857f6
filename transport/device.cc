#include "transport/device.h"

#include <net/if.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <utility>

#include "transport/call_error.h"
#include "transport/device_sysfs.h"
#include "transport/error.h"
#include "transport/gid.h"
#include "transport/interface_address.h"
#include "transport/joined.h"
#include "transport/nearest.h"

namespace rdmabench {
namespace {

constexpr std::string_view kSysfs = "/sys";

// The devices that the verbs library sees, at least one.
class Listing {
 public:
  Listing() : list_(ibv_get_device_list(&count_)) {
    if (list_ == nullptr || count_ == 0) ThrowNoDevice();
  }
  std::span<ibv_device* const> devices() const {
    return {list_.get(), static_cast<std::size_t>(count_)};
  }

 private:
  int count_ = 0;  // declared first: the list's initializer writes it
  DeviceList list_;
};

std::string FileOf(const ibv_device& device) {
  return "/dev/infiniband/" + std::string(device.dev_name);
}

Context OpenContext(ibv_device* device) {
  errno = 0;
  Context context(ibv_open_device(device));
  if (context != nullptr) return context;
  int code = errno != 0 ? errno : ENODEV;
  // What it may not open libibverbs looks for elsewhere, and says that nothing is there.
  const std::string file = FileOf(*device);
  if (code == ENOENT && access(file.c_str(), R_OK | W_OK) != 0) code = errno;
  const std::string name = ibv_get_device_name(device);
  ThrowCall("ibv_open_device", code, {.attempted = "cannot open " + name + " (" + file + ")"});
}

struct Opened {
  Context context;
  DeviceInfo info;
};

Opened OpenOne(ibv_device* device) {
  Opened opened{OpenContext(device), {}};
  opened.info = QueryDevice(opened.context.get());
  return opened;
}

// Those that open. The others' errors go to `failures`.
std::vector<Opened> OpenAll(const Listing& listing, std::vector<Error>* failures) {
  std::vector<Opened> all;
  for (ibv_device* device : listing.devices()) {
    try {
      all.push_back(OpenOne(device));
    } catch (const Error& error) {
      failures->push_back(error);
    }
  }
  return all;
}

bool HasActivePort(const DeviceInfo& info) {
  return std::any_of(info.ports.begin(), info.ports.end(),
                     [](const PortInfo& port) { return port.state == IBV_PORT_ACTIVE; });
}

template <class Predicate>
bool AnyActiveGid(const DeviceInfo& info, Predicate matches) {
  return std::any_of(info.ports.begin(), info.ports.end(), [&](const PortInfo& port) {
    return port.state == IBV_PORT_ACTIVE &&
           std::any_of(port.gids.begin(), port.gids.end(), matches);
  });
}

bool BelongsTo(const DeviceInfo& info, std::string_view netdev) {
  return info.netdev == netdev ||
         AnyActiveGid(info, [&](const Gid& gid) { return gid.netdev == netdev; });
}

// "mlx5_0 (eth2), rxe0 (eth1)"
std::string Existing(const Listing& listing) {
  return Joined(listing.devices(), [](ibv_device* device) {
    const std::string name = ibv_get_device_name(device);
    const std::string netdev = ReadSysfs(kSysfs, name).netdev;
    return name + (netdev.empty() ? "" : " (" + netdev + ")");
  });
}

Error UnknownDevice(std::string_view name, const Listing& listing) {
  const std::string wanted(name);
  if (if_nametoindex(wanted.c_str()) != 0) {
    return {Blame::kEnvironment,
            "no RDMA device belongs to the network interface " + wanted +
                "; there are: " + Existing(listing),
            "choose one of those, or make a software device on it: rdma link add rxe_" + wanted +
                " type rxe netdev " + wanted};
  }
  std::vector<std::string_view> known;
  for (ibv_device* device : listing.devices()) known.push_back(ibv_get_device_name(device));
  return {Blame::kEnvironment,
          "no RDMA device, and no network interface of one, is named \"" + wanted +
              "\"; there are: " + Existing(listing) + DidYouMean(name, known),
          "choose one of those"};
}

// By its own name, or by its interface's; null: none is known by it.
ibv_device* FindByName(std::string_view name, const Listing& listing) {
  const auto devices = listing.devices();
  const auto is_called = [&](ibv_device* device) { return ibv_get_device_name(device) == name; };
  auto found = std::find_if(devices.begin(), devices.end(), is_called);
  if (found != devices.end()) return *found;
  const auto is_on = [&](ibv_device* device) {
    return ReadSysfs(kSysfs, ibv_get_device_name(device)).netdev == name;
  };
  found = std::find_if(devices.begin(), devices.end(), is_on);
  return found == devices.end() ? nullptr : *found;
}

std::string RemedyForPort(const DeviceInfo& device, const PortInfo& port) {
  if (port.link_layer == "infiniband" && port.state != IBV_PORT_DOWN) {
    return "the subnet manager has not brought the port up: is opensm running on this fabric?";
  }
  const std::string cable = "check cable and switch port";
  return device.netdev.empty() ? cable : "ip link set dev " + device.netdev + " up; " + cable;
}

[[noreturn]] void ThrowInactive(const DeviceInfo& device, const PortInfo& port) {
  throw Error(Blame::kEnvironment,
              "port " + std::to_string(port.number) + " of " + device.name + " is not active but " +
                  std::string(PortStateName(port.state)),
              RemedyForPort(device, port));
}

}  // namespace

Device::Device(Context context, DeviceInfo info)
    : context_(std::move(context)), info_(std::move(info)) {}

Device Device::Open(std::string_view name) {
  const Listing listing;
  if (ibv_device* device = FindByName(name, listing)) {
    Opened opened = OpenOne(device);
    return Device(std::move(opened.context), std::move(opened.info));
  }
  // A VLAN or bond over the device's interface is known from its GIDs alone.
  std::vector<Error> failures;
  for (Opened& opened : OpenAll(listing, &failures)) {
    if (BelongsTo(opened.info, name)) {
      return Device(std::move(opened.context), std::move(opened.info));
    }
  }
  throw UnknownDevice(name, listing);
}

Device Device::OpenFor(std::string_view local_ip) {
  std::vector<Error> failures;
  std::vector<Opened> all = OpenAll(Listing(), &failures);
  if (all.empty()) throw Error(failures.front());
  const std::string there = Joined(all, [](const Opened& opened) { return opened.info.name; });
  std::erase_if(all, [](const Opened& opened) { return !HasActivePort(opened.info); });
  if (all.empty()) {
    throw Error(Blame::kEnvironment, "no RDMA device has an active port; there are: " + there,
                "check cables and switch ports (ibv_devinfo, rdma link show), or ip link set up");
  }
  const std::optional<ibv_gid> address = GidOfAddress(local_ip);
  const std::string netdev = InterfaceOfAddress(local_ip);
  auto chosen = std::find_if(all.begin(), all.end(), [&](const Opened& opened) {
    return address && AnyActiveGid(opened.info,
                                   [&](const Gid& gid) { return SameAddress(*address, gid.raw); });
  });
  if (chosen == all.end() && !netdev.empty()) {
    chosen = std::find_if(all.begin(), all.end(),
                          [&](const Opened& opened) { return BelongsTo(opened.info, netdev); });
  }
  if (chosen == all.end()) chosen = all.begin();
  return Device(std::move(chosen->context), std::move(chosen->info));
}

const PortInfo& Device::ActivePort(std::optional<int> number) const {
  const int count = static_cast<int>(info_.ports.size());
  if (count == 0) throw NoSuchPort(info_, number.value_or(1));
  if (number) {
    if (*number < 1 || *number > count) throw NoSuchPort(info_, *number);
    const PortInfo& port = info_.ports[static_cast<std::size_t>(*number - 1)];
    if (port.state != IBV_PORT_ACTIVE) ThrowInactive(info_, port);
    return port;
  }
  for (const PortInfo& port : info_.ports) {
    if (port.state == IBV_PORT_ACTIVE) return port;
  }
  ThrowInactive(info_, info_.ports.front());
}

std::string RequireDevice(std::string_view name) {
  const Listing listing;
  if (ibv_device* device = FindByName(name, listing)) return ibv_get_device_name(device);
  if (if_nametoindex(std::string(name).c_str()) == 0) throw UnknownDevice(name, listing);
  return {};
}

std::optional<Error> WhyNoDevice(std::string_view name) {
  int count = 0;
  if (const DeviceList any(ibv_get_device_list(&count)); any == nullptr || count == 0) {
    return std::nullopt;
  }
  const Listing listing;
  if (FindByName(name, listing) != nullptr) return std::nullopt;
  return UnknownDevice(name, listing);
}

Error NoSuchPort(const DeviceInfo& device, int number) {
  const std::size_t count = device.ports.size();
  const std::string there = count == 0   ? "none"
                            : count == 1 ? "port 1 only"
                                         : "ports 1 to " + std::to_string(count);
  return {Blame::kEnvironment,
          device.name + " has no port " + std::to_string(number) + "; it has " + there,
          "leave the port out: the first active one is used"};
}

Error NoSuchGid(const DeviceInfo& device, const PortInfo& port, int gid_index) {
  const std::string known = Joined(port.gids, [](const Gid& gid) {
    return std::to_string(gid.index) + " (" + gid.Text() + ")";
  });
  return {Blame::kEnvironment,
          "--gid-index " + std::to_string(gid_index) + " is not in use on " + device.name +
              " port " + std::to_string(port.number),
          known.empty() ? "the port has no GID; give its interface an address"
                        : "in use are: " + known};
}

std::vector<Device> OpenDevices(std::vector<Error>& failures) {
  int count = 0;
  const DeviceList list(ibv_get_device_list(&count));
  std::vector<Device> devices;
  for (int i = 0; list != nullptr && i < count; ++i) {
    try {
      Opened opened = OpenOne(list[static_cast<std::size_t>(i)]);
      devices.push_back(Device(std::move(opened.context), std::move(opened.info)));
    } catch (const Error& error) {
      failures.push_back(error);
    }
  }
  return devices;
}

std::vector<DeviceInfo> ListDevices(std::vector<std::string>* skipped) {
  std::vector<Error> failures;
  std::vector<DeviceInfo> infos;
  for (const Device& device : OpenDevices(failures)) infos.push_back(device.info());
  for (const Error& failure : failures) {
    if (skipped != nullptr) skipped->emplace_back(failure.what());
  }
  return infos;
}

void ThrowNoDevice() {
  const std::string kernel_devices = Joined(KernelDevices(kSysfs));
  if (kernel_devices.empty()) {
    throw Error(Blame::kEnvironment, "no RDMA device found",
                "load the adapter's driver, or make a software device: rdma link add rxe0 type rxe "
                "netdev NETDEV");
  }
  throw Error(Blame::kEnvironment,
              "no RDMA device found by the verbs library, though the kernel has " + kernel_devices,
              "modprobe ib_uverbs, and install the provider libraries (Debian: ibverbs-providers)");
}

}  // namespace rdmabench
