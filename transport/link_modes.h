// The speeds of link modes, which `ethtool NETDEV` lists.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace rdmabench {

// Gb/s of the fastest of a set of modes, a bit each (ETHTOOL_LINK_MODE_*_BIT); absent where none is
// known.
std::optional<double> MostGbpsOf(std::span<const std::uint32_t> modes);

}  // namespace rdmabench
