// Numbers that files, names and users write in decimal digits.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace rdmabench {

// The whole text, which is nothing but digits; absent where it is something else or beyond `most`.
std::optional<std::uint64_t> ParseUnsigned(
    std::string_view text, std::uint64_t most = std::numeric_limits<std::uint64_t>::max());

}  // namespace rdmabench
