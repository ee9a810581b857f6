#include "transport/pcie.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

#include "transport/pci_config.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

// PCI Express Base Specification 6.0. Up to 5.0 a packet is framed by 4 bytes with its sequence
// number (2 symbols and 2 bytes in 8b/10b) and 4 of LCRC; in flits of 256 bytes 236 are packets.
struct Generation {
  double gigatransfers_per_second;
  double code_rate;
  std::uint32_t framing_bytes;  // of a packet
};

constexpr Generation kGenerations[] = {
    {2.5, 8.0 / 10.0, 8},     {5.0, 8.0 / 10.0, 8},     {8.0, 128.0 / 130.0, 8},
    {16.0, 128.0 / 130.0, 8}, {32.0, 128.0 / 130.0, 8}, {64.0, 236.0 / 256.0, 0},
};

constexpr std::uint32_t kCompletionHeader = 12;
constexpr std::uint32_t kWriteHeader = 16;
constexpr std::uint32_t kMostPayload = 4096;  // that the specification has
constexpr std::uint32_t kMostLanes = 32;

const Generation* Find(double gigatransfers_per_second) {
  const auto* found =
      std::find_if(std::begin(kGenerations), std::end(kGenerations), [&](const Generation& row) {
        return row.gigatransfers_per_second == gigatransfers_per_second;
      });
  return found == std::end(kGenerations) ? nullptr : found;
}

double BytesPerSecond(const PcieLink& link) {
  const Generation* generation = Find(link.gigatransfers_per_second);
  if (generation == nullptr) return 0.0;
  return link.gigatransfers_per_second * 1e9 / 8.0 * generation->code_rate * link.lanes;
}

// "16.0 GT/s PCIe" and "16"; "Unknown" and 0 where there is no link, or 255 for "Unknown".
std::optional<PcieLink> LinkOf(const fs::path& function, const std::string& which) {
  PcieLink link;
  std::ifstream speed(function / (which + "_link_speed"));
  std::ifstream width(function / (which + "_link_width"));
  if (!(speed >> link.gigatransfers_per_second) || !(width >> link.lanes) || link.lanes == 0 ||
      link.lanes > kMostLanes) {
    return std::nullopt;
  }
  return link;
}

}  // namespace

std::vector<PcieHop> ReadPciePath(std::string_view root, std::string_view address) {
  std::error_code error;
  const fs::path function = fs::canonical(fs::path(root) / "bus/pci/devices" / address, error);
  if (error) return {};
  std::vector<PcieHop> path;
  // Above the last function is the host bridge, "pci0000:3a", which has no address.
  for (fs::path hop = function; hop.filename().string().find('.') != std::string::npos;
       hop = hop.parent_path()) {
    path.push_back({.address = hop.filename().string(),
                    .now = LinkOf(hop, "current"),
                    .most = LinkOf(hop, "max")});
  }
  return path;
}

const PcieHop* SlowestHop(std::span<const PcieHop> path) {
  const PcieHop* slowest = nullptr;
  for (const PcieHop& hop : path) {
    if (!hop.now || BytesPerSecond(*hop.now) == 0.0) continue;
    if (slowest == nullptr || BytesPerSecond(*hop.now) < BytesPerSecond(*slowest->now)) {
      slowest = &hop;
    }
  }
  return slowest;
}

std::optional<PcieLink> ReadPcie(std::string_view root, std::string_view address) {
  const std::vector<PcieHop> path = ReadPciePath(root, address);
  const PcieHop* slowest = SlowestHop(path);
  if (slowest == nullptr) return std::nullopt;
  PcieLink link = *slowest->now;
  // A virtual function's link is not told, and in its configuration the field is reserved.
  if (!path.front().now) return link;
  // The capability is in the first part; reading the rest takes longer.
  std::string config(256, '\0');
  std::ifstream file(fs::path(root) / "bus/pci/devices" / address / "config", std::ios::binary);
  file.read(config.data(), static_cast<std::streamsize>(config.size()));
  config.resize(static_cast<std::size_t>(file.gcount()));
  link.max_payload_bytes = ParsePciConfig(config).max_payload_bytes;
  return link;
}

std::optional<unsigned> PcieGeneration(const PcieLink& link) {
  const Generation* generation = Find(link.gigatransfers_per_second);
  if (generation == nullptr) return std::nullopt;
  return static_cast<unsigned>(generation - std::begin(kGenerations)) + 1;
}

std::optional<double> PcieBytesPerSecond(const PcieLink& link, PcieTransfer transfer,
                                         std::uint64_t message_bytes) {
  const Generation* generation = Find(link.gigatransfers_per_second);
  if (generation == nullptr || message_bytes == 0) return std::nullopt;
  const std::uint64_t payload = link.max_payload_bytes.value_or(kMostPayload);
  const std::uint64_t packets = (message_bytes + payload - 1) / payload;
  const std::uint32_t header =
      transfer == PcieTransfer::kDeviceReads ? kCompletionHeader : kWriteHeader;
  const std::uint64_t overhead = packets * (header + generation->framing_bytes);
  return BytesPerSecond(link) * static_cast<double>(message_bytes) /
         static_cast<double>(message_bytes + overhead);
}

}  // namespace rdmabench
