// The addresses of this machine's network interfaces.
#pragma once

#include <infiniband/verbs.h>

#include <optional>
#include <string>
#include <string_view>

namespace rdmabench {

// The network interface that carries the address (text; where several do, a zone after '%'
// decides); empty when none does.
std::string InterfaceOfAddress(std::string_view ip);

// Leading bits of the address that are its network's, as `ip addr` shows them behind a slash.
// Absent: no interface has it.
std::optional<unsigned> PrefixBitsOf(const ibv_gid& address);

}  // namespace rdmabench
