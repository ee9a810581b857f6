#include "cmd/quantity.h"

#include <charconv>
#include <cmath>
#include <optional>

#include "transport/error.h"

namespace rdmabench {
namespace {

std::string Quoted(std::string_view option, std::string_view text) {
  return std::string(option) + " '" + std::string(text) + "'";
}

[[noreturn]] void RefuseForm(std::string_view option, std::string_view text,
                             std::string_view expected) {
  throw Error(Blame::kUsage, Quoted(option, text) + " is not " + std::string(expected));
}

[[noreturn]] void RefuseRange(std::string_view option, std::string_view text,
                              const std::string& allowed) {
  throw Error(Blame::kUsage, Quoted(option, text) + " is out of range; allowed are " + allowed);
}

std::optional<std::uint64_t> Digits(std::string_view text) {
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || rest != end) return std::nullopt;
  return value;
}

struct Unit {
  char letter;
  unsigned shift;
};
constexpr Unit kSizeUnits[] = {{'k', 10}, {'m', 20}, {'g', 30}};

struct TimeUnit {
  std::string_view name;
  double milliseconds;
};
// Longer names before those that they end with.
constexpr TimeUnit kTimeUnits[] = {{"ms", 1.0}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}};

constexpr std::string_view kSizeForm = "a size: bytes, or with K, M, G for powers of 1024";

}  // namespace

std::uint64_t ParseNumber(std::string_view option, std::string_view text, Range range) {
  const std::optional<std::uint64_t> value = Digits(text);
  if (!value) RefuseForm(option, text, "a whole number; allowed are " + range.ToString());
  if (*value < range.low || *value > range.high) RefuseRange(option, text, range.ToString());
  return *value;
}

std::uint64_t ParseSize(std::string_view option, std::string_view text, Range range) {
  std::string_view digits = text;
  unsigned shift = 0;
  for (const Unit& unit : kSizeUnits) {
    // ASCII letters differ from their capitals in one bit.
    if (!digits.empty() && (digits.back() | 0x20) == unit.letter) {
      shift = unit.shift;
      digits.remove_suffix(1);
      break;
    }
  }
  const std::optional<std::uint64_t> value = Digits(digits);
  if (!value) RefuseForm(option, text, kSizeForm);
  if (*value < range.low || *value > range.high >> shift) {
    RefuseRange(option, text, range.ToString() + " bytes");
  }
  return *value << shift;
}

std::vector<std::uint64_t> ParseSizes(std::string_view option, std::string_view text, Range range) {
  std::vector<std::uint64_t> sizes;
  for (;;) {
    const std::size_t comma = text.find(',');
    sizes.push_back(ParseSize(option, text.substr(0, comma), range));
    if (sizes.size() > kMostSizes) {
      throw Error(Blame::kUsage, std::string(option) + " lists more than " +
                                     std::to_string(kMostSizes) + " sizes");
    }
    if (comma == std::string_view::npos) return sizes;
    text.remove_prefix(comma + 1);
  }
}

std::chrono::milliseconds ParseDuration(std::string_view option, std::string_view text,
                                        Range range) {
  std::string_view digits = text;
  double scale = 1e3;
  for (const TimeUnit& unit : kTimeUnits) {
    if (!digits.ends_with(unit.name)) continue;
    digits.remove_suffix(unit.name.size());
    scale = unit.milliseconds;
    break;
  }
  double value = 0.0;
  const char* end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) {
    RefuseForm(option, text, "a time: seconds, or with ms, s, m, h");
  }
  const double milliseconds = std::round(value * scale);
  if (milliseconds < static_cast<double>(range.low) ||
      milliseconds > static_cast<double>(range.high)) {
    RefuseRange(option, text, range.ToString() + " ms");
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

}  // namespace rdmabench
