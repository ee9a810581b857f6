// The MTU of a network interface, as sysfs has it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "transport/file_tree.h"

namespace rdmabench {

// Where it stands: "/sys/class/net/eth1/mtu".
std::string MtuFile(std::string_view netdev);

// Absent where there is no such interface, and for no name.
std::optional<std::uint32_t> MtuOf(const FileTree& files, std::string_view netdev);

}  // namespace rdmabench
