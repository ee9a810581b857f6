#include "cmd/quantity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "report/percentile.h"
#include "transport/error.h"
#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

std::string Quoted(std::string_view option, std::string_view text) {
  return std::string(option) + " '" + std::string(text) + "'";
}

// How a value is written.
struct Form {
  std::string_view words;
  std::string_view example;
};

[[noreturn]] void RefuseForm(std::string_view option, std::string_view text, const Form& form) {
  throw Error(Blame::kUsage, Quoted(option, text) + " is not " + std::string(form.words),
              "write it as in " + std::string(form.example));
}

// `low` and `high` as the option takes them.
[[noreturn]] void RefuseRange(std::string_view option, std::string_view text, bool too_low,
                              const std::string& low, const std::string& high) {
  throw Error(Blame::kUsage,
              Quoted(option, text) + " is out of range; allowed are " + low + " to " + high,
              too_low ? "give " + low + " or more" : "give " + high + " or less");
}

// A number with or without a decimal point; no exponent.
std::optional<double> Decimal(std::string_view text) {
  double value = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value, std::chars_format::fixed);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

// ASCII letters differ from their capitals in one bit.
bool EndsWithLetter(std::string_view text, char letter) {
  return !text.empty() && (text.back() | 0x20) == letter;
}

struct Unit {
  char letter;
  unsigned shift;
};
constexpr Unit kSizeUnits[] = {{'k', 10}, {'m', 20}, {'g', 30}, {'t', 40}};

struct TimeUnit {
  std::string_view name;
  double milliseconds;
};
// Longer names before those that they end with.
constexpr TimeUnit kTimeUnits[] = {{"ms", 1.0}, {"s", 1e3}, {"m", 6e4}, {"h", 3.6e6}};

struct ShortTimeUnit {
  std::string_view name;
  double nanoseconds;
};
// Longer names before those that they end with.
constexpr ShortTimeUnit kShortTimeUnits[] = {{"ns", 1.0}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
constexpr double kLongestNs = 3.6e12;

struct DecimalUnit {
  char letter;
  double factor;
};
constexpr DecimalUnit kDecimalUnits[] = {{'k', 1e3}, {'m', 1e6}, {'g', 1e9}, {'t', 1e12}};

struct RateUnit {
  std::string_view name;
  std::optional<double> Rate::*rate;
  Range range;
  // The same as people write it.
  std::string_view low;
  std::string_view high;
};
// Longer names before those that they end with.
constexpr RateUnit kRateUnits[] = {
    {"bps", &Rate::bits_per_second, kRateBits, "1bps", "10Tbps"},
    {"b/s", &Rate::bits_per_second, kRateBits, "1bps", "10Tbps"},
    {"pps", &Rate::messages_per_second, kRateMessages, "1pps", "10Gpps"},
    {"/s", &Rate::messages_per_second, kRateMessages, "1pps", "10Gpps"},
};

constexpr Form kSizeForm = {"a size: bytes, or with K, M, G, T for powers of 1024",
                            "4096, 64K or 1M"};
constexpr Form kRangeForm = {"a range of sizes: FIRST:LAST, FIRST:LAST:+STEP or FIRST:LAST:*FACTOR",
                             "64:1M, 64:1K:+64 or 1:1M:*4"};
constexpr Form kTimeForm = {"a time: seconds, or with ms, s, m, h", "2, 0.5, 200ms or 5m"};
constexpr Form kShortTimeForm = {"a time with its unit: ns, us, ms or s", "10us or 1.5ms"};
constexpr Form kPercentileForm = {"a percentile: a number such as 50 or 99.9", "50 or 99.9"};
constexpr Form kShareForm = {"a share in percent, such as 1%", "1% or 0.5%, with the sign"};
constexpr Form kRateForm = {
    "a rate: bits per second such as 10Gbps, or messages per second such as 2.5Mpps",
    "10Gbps or 2.5Mpps; bytes are no unit: 1GB/s is 8Gbps"};
constexpr Form kBitRateForm = {"bits per second with their unit, such as 90Gbps",
                               "90Gbps; bytes are no unit: 1GB/s is 8Gbps"};
constexpr Form kMessageRateForm = {"messages per second with their unit, such as 2.5Mpps",
                                   "2.5Mpps or 5000pps"};

// How a range of sizes gets from one to the next.
struct Stride {
  bool multiplies = true;
  std::uint64_t by = 2;

  // Absent when the next one would be beyond `last`; never overflows.
  std::optional<std::uint64_t> Next(std::uint64_t size, std::uint64_t last) const {
    if (multiplies) return size <= last / by ? std::optional(size * by) : std::nullopt;
    return last - size >= by ? std::optional(size + by) : std::nullopt;
  }
};

Stride ParseStride(std::string_view option, std::string_view element, std::string_view text,
                   Range range) {
  if (text.starts_with('*')) {
    return {true, ParseNumber(option, text.substr(1), {2, range.high})};
  }
  if (text.starts_with('+')) {
    return {false, ParseSize(option, text.substr(1), {1, range.high})};
  }
  RefuseForm(option, element, kRangeForm);
}

struct SizeRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  Stride stride;
};

// One element of a list; a size is a range of one.
SizeRange ParseSizeRange(std::string_view option, std::string_view element, Range range) {
  const std::size_t colon = element.find(':');
  const std::uint64_t first = ParseSize(option, element.substr(0, colon), range);
  if (colon == std::string_view::npos) return {first, first, {.multiplies = false, .by = 1}};
  const std::string_view rest = element.substr(colon + 1);
  const std::size_t second = rest.find(':');
  SizeRange sizes{first, ParseSize(option, rest.substr(0, second), range), {}};
  if (second != std::string_view::npos) {
    sizes.stride = ParseStride(option, element, rest.substr(second + 1), range);
  }
  if (sizes.last < first) {
    RefuseForm(option, element, {"a range of sizes: it ends before it begins", kRangeForm.example});
  }
  if (first == 0 && sizes.stride.multiplies) {
    RefuseForm(option, element,
               {"a range of sizes: 0 stays 0, however often it is multiplied", "0:1K:+64"});
  }
  return sizes;
}

// Null for a text that ends with none.
const RateUnit* RateUnitOf(std::string_view text) {
  const auto* unit = std::find_if(std::begin(kRateUnits), std::end(kRateUnits),
                                  [text](const RateUnit& row) { return text.ends_with(row.name); });
  return unit == std::end(kRateUnits) ? nullptr : unit;
}

double RateIn(const RateUnit& unit, std::string_view option, std::string_view text,
              const Form& form) {
  std::string_view digits = text.substr(0, text.size() - unit.name.size());
  double factor = 1.0;
  for (const DecimalUnit& prefix : kDecimalUnits) {
    if (!EndsWithLetter(digits, prefix.letter)) continue;
    factor = prefix.factor;
    digits.remove_suffix(1);
    break;
  }
  const std::optional<double> value = Decimal(digits);
  if (!value) RefuseForm(option, text, form);
  const double per_second = *value * factor;
  const bool too_low = per_second < static_cast<double>(unit.range.low);
  if (too_low || per_second > static_cast<double>(unit.range.high)) {
    RefuseRange(option, text, too_low, std::string(unit.low), std::string(unit.high));
  }
  return per_second;
}

double RateOf(std::optional<double> Rate::*kind, std::string_view option, std::string_view text,
              const Form& form) {
  const RateUnit* unit = RateUnitOf(text);
  if (unit == nullptr || unit->rate != kind) RefuseForm(option, text, form);
  return RateIn(*unit, option, text, form);
}

// In the largest unit that it is a multiple of: "64K".
std::string SizeText(std::uint64_t bytes) {
  std::string text = std::to_string(bytes);
  for (const Unit& unit : kSizeUnits) {
    if (bytes == 0 || bytes % (std::uint64_t{1} << unit.shift) != 0) break;
    text = std::to_string(bytes >> unit.shift) + static_cast<char>(unit.letter & ~0x20);
  }
  return text;
}

// In the largest unit that it is a multiple of: "24h", "100ms".
std::string TimeText(std::uint64_t milliseconds) {
  std::string text = std::to_string(milliseconds) + "ms";
  std::uint64_t longest = 1;
  for (const TimeUnit& unit : kTimeUnits) {
    const auto length = static_cast<std::uint64_t>(unit.milliseconds);
    if (length <= longest || milliseconds == 0 || milliseconds % length != 0) continue;
    longest = length;
    text = std::to_string(milliseconds / length) + std::string(unit.name);
  }
  return text;
}

}  // namespace

std::uint64_t ParseNumber(std::string_view option, std::string_view text, Range range) {
  const std::optional<std::uint64_t> value = ParseUnsigned(text);
  const std::string low = std::to_string(range.low);
  const std::string high = std::to_string(range.high);
  if (!value) {
    const std::string words = "a whole number; allowed are " + range.ToString();
    RefuseForm(option, text, {words, low + " or " + high});
  }
  if (*value < range.low || *value > range.high) {
    RefuseRange(option, text, *value < range.low, low, high);
  }
  return *value;
}

std::uint64_t ParseSize(std::string_view option, std::string_view text, Range range) {
  std::string_view digits = text;
  unsigned shift = 0;
  for (const Unit& unit : kSizeUnits) {
    if (EndsWithLetter(digits, unit.letter)) {
      shift = unit.shift;
      digits.remove_suffix(1);
      break;
    }
  }
  const std::optional<std::uint64_t> value = ParseUnsigned(digits);
  if (!value) RefuseForm(option, text, kSizeForm);
  const bool too_high = *value > range.high >> shift;
  if (too_high || *value << shift < range.low) {
    RefuseRange(option, text, !too_high, SizeText(range.low), SizeText(range.high));
  }
  return *value << shift;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> elements;
  for (std::size_t at = 0; at <= text.size(); at += elements.back().size() + 1) {
    elements.emplace_back(text.substr(at, text.find(',', at) - at));
  }
  return elements;
}

std::vector<std::uint64_t> ParseSizes(std::string_view option, std::string_view text, Range range) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& element : SplitList(text)) {
    const SizeRange elements = ParseSizeRange(option, element, range);
    std::optional<std::uint64_t> size = elements.first;
    for (; size; size = elements.stride.Next(*size, elements.last)) {
      if (sizes.size() == kMostSizes) {
        throw Error(Blame::kUsage,
                    std::string(option) + " lists more than " + std::to_string(kMostSizes) +
                        " sizes, at '" + element + "'",
                    "take larger steps, such as 1:1M:*2");
      }
      sizes.push_back(*size);
    }
  }
  return sizes;
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
  const std::optional<double> value = Decimal(digits);
  if (!value) RefuseForm(option, text, kTimeForm);
  const double milliseconds = std::round(*value * scale);
  const bool too_low = milliseconds < static_cast<double>(range.low);
  if (too_low || milliseconds > static_cast<double>(range.high)) {
    RefuseRange(option, text, too_low, TimeText(range.low), TimeText(range.high));
  }
  return std::chrono::milliseconds(static_cast<std::int64_t>(milliseconds));
}

double ParsePercent(std::string_view option, std::string_view text) {
  const std::optional<double> value = Decimal(text);
  if (!value) RefuseForm(option, text, kPercentileForm);
  if (!report::IsPercentile(*value)) {
    throw Error(Blame::kUsage,
                Quoted(option, text) +
                    " is out of range; allowed are numbers above 0 and below "
                    "100 of up to seven decimals",
                "give one such as 99.9; the maximum is always there");
  }
  return *value;
}

double ParseNanoseconds(std::string_view option, std::string_view text) {
  for (const ShortTimeUnit& unit : kShortTimeUnits) {
    if (!text.ends_with(unit.name)) continue;
    const std::optional<double> value = Decimal(text.substr(0, text.size() - unit.name.size()));
    if (!value) break;
    const double nanoseconds = *value * unit.nanoseconds;
    if (nanoseconds <= 0.0 || nanoseconds > kLongestNs) {
      RefuseRange(option, text, nanoseconds <= 0.0, "1ns", "3600s");
    }
    return nanoseconds;
  }
  RefuseForm(option, text, kShortTimeForm);
}

double ParseShare(std::string_view option, std::string_view text, Range range) {
  if (!text.ends_with('%')) RefuseForm(option, text, kShareForm);
  const std::optional<double> percent = Decimal(text.substr(0, text.size() - 1));
  if (!percent) RefuseForm(option, text, kShareForm);
  if (*percent <= 0.0 || *percent < static_cast<double>(range.low) ||
      *percent > static_cast<double>(range.high)) {
    throw Error(Blame::kUsage,
                Quoted(option, text) + " is out of range; allowed are above 0%, up to " +
                    std::to_string(range.high) + "%",
                "give one such as 1%");
  }
  return *percent;
}

Rate ParseRate(std::string_view option, std::string_view text) {
  const RateUnit* unit = RateUnitOf(text);
  if (unit == nullptr) RefuseForm(option, text, kRateForm);
  Rate rate;
  rate.*(unit->rate) = RateIn(*unit, option, text, kRateForm);
  return rate;
}

double ParseBitRate(std::string_view option, std::string_view text) {
  return RateOf(&Rate::bits_per_second, option, text, kBitRateForm);
}

double ParseMessageRate(std::string_view option, std::string_view text) {
  return RateOf(&Rate::messages_per_second, option, text, kMessageRateForm);
}

}  // namespace rdmabench
