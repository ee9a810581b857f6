#include "transport/cuda_choice.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>
#include <tuple>

#include "transport/error.h"
#include "transport/joined.h"
#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

// Of a PCI function.
struct Place {
  fs::path way;             // "pci0000:3a/0000:3a:00.0/0000:3b:00.0"; empty: sysfs does not show it
  std::optional<int> node;  // NUMA node
};

Place PlaceOf(std::string_view sysfs, std::string_view address) {
  Place place;
  const fs::path function = fs::path(sysfs) / "bus/pci/devices" / address;
  std::error_code error;
  const fs::path devices = fs::canonical(fs::path(sysfs) / "devices", error);
  if (error) return place;
  const fs::path target = fs::canonical(function, error);
  if (!error) place.way = target.lexically_relative(devices);
  // The kernel writes -1 where it does not know.
  std::ifstream file(function / "numa_node");
  if (int node = -1; file >> node && node >= 0) place.node = node;
  return place;
}

// How near a GPU is to the device.
struct Nearness {
  long shared = 0;          // parts of the way: the root complex, its port, bridges
  std::string last_shared;  // "0000:3a:00.0"; empty: not even the root complex
  std::optional<int> node;  // that both are on; absent: they are not, or that is not known

  auto Rank() const { return std::tuple(shared, node.has_value()); }
};

Nearness Compare(const Place& gpu, const Place& device) {
  Nearness nearness;
  const auto part =
      std::mismatch(gpu.way.begin(), gpu.way.end(), device.way.begin(), device.way.end()).first;
  nearness.shared = std::distance(gpu.way.begin(), part);
  if (nearness.shared > 0) nearness.last_shared = std::prev(part)->string();
  if (gpu.node == device.node) nearness.node = gpu.node;
  return nearness;
}

std::string WhyNearest(const Nearness& nearness, const std::string& device) {
  if (!nearness.last_shared.empty()) {
    return "the nearest to " + device + ": both are below " + nearness.last_shared;
  }
  if (nearness.node) {
    return "the nearest to " + device + ": both are on NUMA node " + std::to_string(*nearness.node);
  }
  return "the first: none is known to be near " + device;
}

GpuChoice Nearest(std::string_view sysfs, std::span<const Gpu> gpus, const RdmaPosition& device) {
  const Place place = device.pcie_address ? PlaceOf(sysfs, *device.pcie_address) : Place();
  const Gpu* best = nullptr;
  Nearness nearness;
  for (const Gpu& gpu : gpus) {
    Nearness other = Compare(PlaceOf(sysfs, gpu.pcie_address), place);
    if (best != nullptr && other.Rank() <= nearness.Rank()) continue;
    best = &gpu;
    nearness = std::move(other);
  }
  return {*best, gpus.size() == 1 ? "the only one" : WhyNearest(nearness, device.name)};
}

std::string InLowerCase(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return lower;
}

bool IsWanted(const Gpu& gpu, const std::string& wanted) {
  constexpr std::string_view kFirstDomain = "0000:";
  return std::to_string(gpu.index) == wanted || gpu.pcie_address == wanted ||
         gpu.pcie_address == std::string(kFirstDomain) + wanted;
}

bool IsHex(std::string_view text, std::size_t least, std::size_t most) {
  return text.size() >= least && text.size() <= most &&
         text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
}

// "0000:3b:00.0", or without the domain.
bool IsPcieAddress(std::string_view text) {
  constexpr std::size_t kFunction = 7;  // "3b:00.0"
  if (text.size() < kFunction) return false;
  const std::string_view function = text.substr(text.size() - kFunction);
  const std::string_view domain = text.substr(0, text.size() - kFunction);
  return IsHex(function.substr(0, 2), 2, 2) && function[2] == ':' &&
         IsHex(function.substr(3, 2), 2, 2) && function[5] == '.' &&
         IsHex(function.substr(6), 1, 1) &&
         (domain.empty() ||
          (domain.ends_with(':') && IsHex(domain.substr(0, domain.size() - 1), 4, 8)));
}

}  // namespace

void CheckGpuName(std::string_view wanted) {
  if (ParseUnsigned(wanted) || IsPcieAddress(wanted)) return;
  throw Error(Blame::kUsage,
              "'" + std::string(wanted) + "' is neither a GPU's number nor its PCIe address",
              "name it as in cuda=0 or cuda=3b:00.0 (nvidia-smi lists both), or leave it out for "
              "the nearest");
}

GpuChoice ChooseGpu(std::string_view sysfs, std::span<const Gpu> gpus, std::string_view wanted,
                    const RdmaPosition& device) {
  if (wanted.empty()) return Nearest(sysfs, gpus, device);
  for (const Gpu& gpu : gpus) {
    if (IsWanted(gpu, InLowerCase(wanted))) return {gpu, "as asked for"};
  }
  throw Error(Blame::kEnvironment,
              "there is no GPU " + std::string(wanted) + "; there is " + Joined(gpus, Describe),
              "name one by CUDA's number or by its PCIe address, or none for the nearest");
}

}  // namespace rdmabench
