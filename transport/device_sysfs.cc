#include "transport/device_sysfs.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kRxe = "rdma_rxe";
constexpr std::string_view kSiw = "siw";
constexpr std::string_view kSiwDescription = "Software iWARP";
constexpr int kMostGidEntries = 256;

// The first line; empty when there is no such file, or the kernel refuses to fill it (an empty GID
// entry).
std::string FirstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::vector<std::string> EntriesOf(const fs::path& directory) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    names.push_back(entry->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// "0000:3b:00.0"
bool IsPcieAddress(std::string_view name) {
  constexpr std::string_view kShape = "xxxx:xx:xx.x";
  return name.size() == kShape.size() &&
         std::equal(name.begin(), name.end(), kShape.begin(), [](unsigned char c, char shape) {
           return shape == 'x' ? std::isxdigit(c) != 0 : c == static_cast<unsigned char>(shape);
         });
}

// The PCI function that `link` leads to or lies below: a virtio device is a child of its function.
std::optional<std::string> PcieAddressBehind(const fs::path& link) {
  std::error_code error;
  fs::path path = fs::canonical(link, error);
  if (error) return std::nullopt;
  for (; path.has_relative_path(); path = path.parent_path()) {
    if (IsPcieAddress(path.filename().string())) return path.filename().string();
  }
  return std::nullopt;
}

// Software devices come first: before Linux 5.11 their `device` link led to the device of their
// netdev, so it would name that one's driver. Only rxe has the attribute `parent`.
std::string DriverOf(const fs::path& device) {
  if (fs::exists(device / "parent")) return std::string(kRxe);
  const bool iwarp = FirstLine(device / "node_type").find("RNIC") != std::string::npos;
  const bool bare = !fs::exists(device / "device");
  if (FirstLine(device / "node_desc").starts_with(kSiwDescription) || (iwarp && bare)) {
    return std::string(kSiw);
  }
  std::error_code error;
  const fs::path driver = fs::read_symlink(device / "device/driver", error);
  return error ? std::string() : driver.filename().string();
}

// The interface of the port's GIDs: for a bonded device the bond, which `device/net` does not tell.
std::string NetdevOfGids(const fs::path& port) {
  const fs::path entries = port / "gid_attrs/ndevs";
  for (int index = 0; index < kMostGidEntries; ++index) {
    const fs::path entry = entries / std::to_string(index);
    if (!fs::exists(entry)) break;
    if (std::string name = FirstLine(entry); !name.empty()) return name;
  }
  return {};
}

// Of the interfaces of the device's PCI function, the one of this port: functions with two ports
// number them in dev_port.
std::string NetdevOfFunction(const fs::path& net, int port) {
  const std::vector<std::string> names = EntriesOf(net);
  for (const std::string& name : names) {
    if (FirstLine(net / name / "dev_port") == std::to_string(port - 1)) return name;
  }
  return names.size() == 1 ? names.front() : std::string();
}

std::string NetdevOf(const fs::path& device, int port) {
  if (std::string parent = FirstLine(device / "parent"); !parent.empty()) return parent;
  std::string name = NetdevOfGids(device / "ports" / std::to_string(port));
  return name.empty() ? NetdevOfFunction(device / "device/net", port) : name;
}

// A bond has no device of its own, but those of its members.
std::optional<double> GbpsOf(const fs::path& netdev) {
  if (!fs::exists(netdev / "device") && !fs::exists(netdev / "bonding")) return std::nullopt;
  std::ifstream file(netdev / "speed");
  double megabits_per_second = 0.0;
  if (!(file >> megabits_per_second) || megabits_per_second <= 0.0) return std::nullopt;
  return megabits_per_second * 1e-3;
}

}  // namespace

SysfsFacts ReadSysfs(std::string_view root, std::string_view device) {
  const fs::path path = fs::path(root) / "class/infiniband" / device;
  SysfsFacts facts;
  facts.driver = DriverOf(path);
  facts.netdev = NetdevOf(path, 1);
  if (!IsSoftwareDriver(facts.driver)) facts.pcie_address = PcieAddressBehind(path / "device");
  if (!facts.pcie_address && !facts.netdev.empty()) {
    facts.pcie_address = PcieAddressBehind(fs::path(root) / "class/net" / facts.netdev / "device");
  }
  if (!facts.netdev.empty()) {
    facts.netdev_gbps = GbpsOf(fs::path(root) / "class/net" / facts.netdev);
  }
  return facts;
}

std::string PortRate(std::string_view root, std::string_view device, int port) {
  return FirstLine(fs::path(root) / "class/infiniband" / device / "ports" / std::to_string(port) /
                   "rate");
}

std::vector<std::string> KernelDevices(std::string_view root) {
  return EntriesOf(fs::path(root) / "class/infiniband");
}

bool IsSoftwareDriver(std::string_view driver) { return driver == kRxe || driver == kSiw; }

}  // namespace rdmabench
