// Numbers as people type them, parsed strictly: the whole text counts, ranges are checked, and
// errors say what is allowed. All throw Error(kUsage) that begins with the option's name.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan.h"

namespace rdmabench {

// "18515". Nothing but digits.
std::uint64_t ParseNumber(std::string_view option, std::string_view text, Range range);

// "64", "4K", "1m": bytes, with K, M or G for powers of 1024.
std::uint64_t ParseSize(std::string_view option, std::string_view text, Range range);

// "64,4K,1M", in the order given.
std::vector<std::uint64_t> ParseSizes(std::string_view option, std::string_view text, Range range);

// "2", "0.5", "200ms", "10s", "5m": seconds unless a unit says otherwise. `range` is in
// milliseconds.
std::chrono::milliseconds ParseDuration(std::string_view option, std::string_view text,
                                        Range range);

}  // namespace rdmabench
