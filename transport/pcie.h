// The PCIe links that a device hangs on, as sysfs tells them, and what they can carry.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdmabench {

struct PcieLink {
  double gigatransfers_per_second = 0.0;           // of a lane
  std::uint32_t lanes = 0;                         // in use
  std::optional<std::uint32_t> max_payload_bytes;  // of a packet; root alone may read it

  bool operator==(const PcieLink&) const = default;
};

// A function on the way from a device to the root. The two at the ends of a link tell the same of
// it as it is now, and each what it could do itself.
struct PcieHop {
  std::string address;           // "0000:3b:00.0"
  std::optional<PcieLink> now;   // absent where none is told, as of most virtual functions
  std::optional<PcieLink> most;  // that the function can do

  bool operator==(const PcieHop&) const = default;
};

// From the function at `address` to the root; empty where there is no such function. `root` is
// "/sys", or a copy of its structure in tests.
std::vector<PcieHop> ReadPciePath(std::string_view root, std::string_view address);

// The first of those whose link is the slowest now; nullptr where no link is told.
const PcieHop* SlowestHop(std::span<const PcieHop> path);

// The slowest link of the path, with the payload limit of the function that it begins with, where
// that has a link of its own.
std::optional<PcieLink> ReadPcie(std::string_view root, std::string_view address);

// 1 to 6, by the transfer rate of its lanes; absent for one that no generation has.
std::optional<unsigned> PcieGeneration(const PcieLink& link);

// What memory requests make of a link.
enum class PcieTransfer {
  kDeviceReads,   // completions with data
  kDeviceWrites,  // writes with an address of 64 bits
};

// Bytes a second of messages of so many bytes, in one direction, at most: what flow control,
// acknowledgements, descriptors and doorbells take besides is not in it. Absent for a rate that no
// generation has.
std::optional<double> PcieBytesPerSecond(const PcieLink& link, PcieTransfer transfer,
                                         std::uint64_t message_bytes);

}  // namespace rdmabench
