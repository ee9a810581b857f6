// What perftest's options are called here, where that is not the same.
#pragma once

#include <string_view>

namespace rdmabench {

// For an option such as "--rate-limit" or "-A", with '-' for '_'; empty for one that is not
// perftest's. docs/perftest.md has the whole list.
std::string_view PerftestHint(std::string_view option);

}  // namespace rdmabench
