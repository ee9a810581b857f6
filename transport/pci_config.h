// What a PCI function's configuration space says of its express link, for those who may read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rdmabench {

// Fields of the PCI Express capability and of the Access Control Services capability (PCI Express
// Base Specification 6.0, 7.5.3 and 7.7.11).
struct PciConfig {
  std::optional<std::uint32_t> max_payload_bytes;   // of the packets it sends
  std::optional<std::uint32_t> most_payload_bytes;  // it could do
  std::optional<std::uint32_t> max_read_request_bytes;
  bool is_downstream_port = false;  // of a switch
  std::optional<bool>
      redirects_requests;  // between two devices below it, to the root; absent: no ACS
};

// `bytes` as sysfs's file `config` has them: 4096 or 256; others than root get the first 64, in
// which no capability is.
PciConfig ParsePciConfig(std::string_view bytes);

}  // namespace rdmabench
