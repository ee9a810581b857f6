// Numbers as people type them, parsed strictly: the whole text counts, ranges are checked, and
// errors say what is allowed. All throw Error(kUsage) that begins with the option's name, and whose
// remedy is an example.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/plan.h"
#include "bench/rate.h"

namespace rdmabench {

// "18515". Nothing but digits.
std::uint64_t ParseNumber(std::string_view option, std::string_view text, Range range);

// "64", "4K", "1m": bytes, with K, M, G or T for powers of 1024.
std::uint64_t ParseSize(std::string_view option, std::string_view text, Range range);

// What stands between the commas, also where nothing does.
std::vector<std::string> SplitList(std::string_view text);

// "64,4K,1M", in the order given. An element may be a range: "64:1M" doubles from 64 while it stays
// within 1M, "64:1K:+64" adds 64, "64:1M:*4" multiplies by 4. The end need not be hit.
std::vector<std::uint64_t> ParseSizes(std::string_view option, std::string_view text, Range range);

// "2", "0.5", "200ms", "10s", "5m": seconds unless a unit says otherwise. `range` is in
// milliseconds.
std::chrono::milliseconds ParseDuration(std::string_view option, std::string_view text,
                                        Range range);

// "99.9" as a percentile: above 0 and below 100.
double ParsePercent(std::string_view option, std::string_view text);

// "10us", "1.5ms", "800ns", "2s" as nanoseconds, up to an hour; the unit has to be there.
double ParseNanoseconds(std::string_view option, std::string_view text);

// "1%", "0.5%" as a number of hundredths; the sign has to be there. `range` is in percent; 0 is
// none.
double ParseShare(std::string_view option, std::string_view text, Range range);

// "10Gbps" or "10Gb/s", "2.5Mpps" or "2.5M/s": bits or messages per second, with K, M, G or T in
// either case for powers of 1000. Units are not: "GB/s" would be bytes. kRateBits and kRateMessages
// are the ranges.
Rate ParseRate(std::string_view option, std::string_view text);
// The same of one kind only.
double ParseBitRate(std::string_view option, std::string_view text);
double ParseMessageRate(std::string_view option, std::string_view text);

}  // namespace rdmabench
