// How fast an initiator may send, as the command line gives it and as the plan keeps it.
#pragma once

#include <cstdint>
#include <optional>

namespace rdmabench {

// At most one of them is set; neither: as fast as it goes.
struct Rate {
  std::optional<double> bits_per_second;
  std::optional<double> messages_per_second;

  // Of messages of so many bytes, in messages a second.
  std::optional<double> Of(std::uint64_t message_bytes) const {
    if (!bits_per_second) return messages_per_second;
    return *bits_per_second / 8.0 / static_cast<double>(message_bytes);
  }
};

}  // namespace rdmabench
