// What a network interface does by priority (data center bridging), as `dcb pfc show` and `dcb app
// show` tell it.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace rdmabench {

// How an interface is told to treat RoCE's packets.
struct FlowControl {
  unsigned lossless_priorities = 0;  // a bit each, by priority flow control (PFC)
  bool trusts_dscp = false;          // some DSCP has a priority of its own

  bool operator==(const FlowControl&) const = default;
};

// Absent where the interface's driver does not tell.
std::optional<FlowControl> ReadFlowControl(const std::string& netdev);

// The same of the kernel's answer.
std::optional<FlowControl> FlowControlIn(std::span<const std::byte> datagram);

}  // namespace rdmabench
