// rdmabench devices: what RDMA devices there are, for people and for scripts.
#pragma once

#include <string>
#include <vector>

namespace rdmabench {

// Prints those of these names (also of their network interfaces), or all, and on stderr those that
// could not be opened. Throws Error(kEnvironment) when there is none to print.
void RunDevicesCommand(bool json, const std::vector<std::string>& names);

}  // namespace rdmabench
