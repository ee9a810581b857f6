// Which rdmabench this is.
#pragma once

#include <string_view>

namespace rdmabench {

inline constexpr std::string_view kVersion = "0.1.0";

// The commit it was built from, "-dirty" appended when the tree had changes; "unknown" when built
// outside of git.
std::string_view BuildCommit();

}  // namespace rdmabench
