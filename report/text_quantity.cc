#include "report/text_quantity.h"

#include <array>
#include <cmath>
#include <cstdio>

namespace rdmabench::report {

std::string Fixed(double value, int decimals) {
  if (!std::isfinite(value)) return "-";
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  std::snprintf(text.data(), text.size(), "%.*f", decimals, value);
  return text.data();
}

std::string Significant(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

std::string Size(std::uint64_t bytes) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  constexpr std::uint64_t kKiB = std::uint64_t{1} << 10;
  if (bytes >= kMiB && bytes % kMiB == 0) return std::to_string(bytes / kMiB) + " MiB";
  if (bytes >= kKiB && bytes % kKiB == 0) return std::to_string(bytes / kKiB) + " KiB";
  return std::to_string(bytes) + " B";
}

double Gbps(double bytes_per_second) { return bytes_per_second * 8.0 / 1e9; }

}  // namespace rdmabench::report
