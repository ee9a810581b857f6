// rdmabench devices: what RDMA devices there are, for people and for scripts.
#pragma once

#include <optional>
#include <string>

namespace rdmabench {

// Prints all, or the one of this name (also of its network interface), and on stderr those that
// could not be opened. Throws Error(kEnvironment) when there is none to print.
void RunDevicesCommand(bool json, const std::optional<std::string>& name);

}  // namespace rdmabench
