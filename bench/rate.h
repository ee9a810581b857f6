// How fast an initiator may send, as the command line gives it and as the plan keeps it.
#pragma once

#include <optional>

namespace rdmabench {

// At most one of them is set; neither: as fast as it goes.
struct Rate {
  std::optional<double> bits_per_second;
  std::optional<double> messages_per_second;
};

}  // namespace rdmabench
