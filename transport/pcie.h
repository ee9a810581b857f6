// The PCIe link that a device hangs on, as sysfs tells it, and what it can carry.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rdmabench {

struct PcieLink {
  double gigatransfers_per_second = 0.0;           // of a lane
  std::uint32_t lanes = 0;                         // in use
  std::optional<std::uint32_t> max_payload_bytes;  // of a packet; root alone may read it

  bool operator==(const PcieLink&) const = default;
};

// The slowest link on the way from the function at `address` ("0000:3b:00.0") to the root, with the
// function's own payload limit. Absent where none is told, as of most virtual functions. `root` is
// "/sys", or a copy of its structure in tests.
std::optional<PcieLink> ReadPcie(std::string_view root, std::string_view address);

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
