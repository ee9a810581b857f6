// Numbers as the text output writes them.
#pragma once

#include <cstdint>
#include <string>

namespace rdmabench::report {

std::string Fixed(double value, int decimals);      // "-" for what is no number
std::string Significant(double value, int digits);  // with an exponent where they need one
std::string Size(std::uint64_t bytes);              // "64 KiB", "1000 B"
double Gbps(double bytes_per_second);

}  // namespace rdmabench::report
