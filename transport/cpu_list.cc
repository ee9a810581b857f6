#include "transport/cpu_list.h"

#include <algorithm>
#include <cstdint>

#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

std::optional<unsigned> ParseCpu(std::string_view text) {
  const std::optional<std::uint64_t> cpu = ParseUnsigned(text, kMostCpu);
  return cpu ? std::optional(static_cast<unsigned>(*cpu)) : std::nullopt;
}

std::string Quoted(std::string_view text) {
  constexpr std::size_t kMostShown = 32;
  const bool is_long = text.size() > kMostShown;
  return "'" + std::string(text.substr(0, kMostShown)) + (is_long ? "…'" : "'");
}

// "4-6", or a single one. What is wrong with it; empty: nothing.
std::string AppendRange(std::string_view text, std::vector<unsigned>& cpus) {
  const std::size_t dash = text.find('-');
  const std::optional<unsigned> first = ParseCpu(text.substr(0, dash));
  const std::optional<unsigned> last =
      dash == std::string_view::npos ? first : ParseCpu(text.substr(dash + 1));
  if (!first || !last) {
    return Quoted(text) + " is no number up to " + std::to_string(kMostCpu) + " or range of them";
  }
  if (*last < *first) return Quoted(text) + " ends before it begins";
  for (unsigned cpu = *first; cpu <= *last; ++cpu) cpus.push_back(cpu);
  return {};
}

std::string TwiceIn(std::vector<unsigned> cpus) {
  std::sort(cpus.begin(), cpus.end());
  const auto twice = std::adjacent_find(cpus.begin(), cpus.end());
  return twice == cpus.end() ? std::string() : "it has " + std::to_string(*twice) + " twice";
}

// What is wrong with the list, or empty and the cpus.
std::string ReadList(std::string_view text, std::vector<unsigned>& cpus) {
  for (;;) {
    const std::size_t comma = text.find(',');
    // Bounded, however often the text repeats itself.
    if (cpus.size() > kMostCpu + 1) return TwiceIn(cpus);
    if (std::string wrong = AppendRange(text.substr(0, comma), cpus); !wrong.empty()) return wrong;
    if (comma == std::string_view::npos) return TwiceIn(cpus);
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

std::string WhyNoCpuList(std::string_view text) {
  std::vector<unsigned> cpus;
  return ReadList(text, cpus);
}

std::optional<std::vector<unsigned>> ParseCpuList(std::string_view text) {
  std::vector<unsigned> cpus;
  if (!ReadList(text, cpus).empty()) return std::nullopt;
  return cpus;
}

std::string CpuListText(std::vector<unsigned> cpus, std::string_view separator) {
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t end = i + 1;
    while (end < cpus.size() && cpus[end] == cpus[end - 1] + 1) ++end;
    if (end - i < 3) end = i + 1;
    if (!text.empty()) text += separator;
    text += std::to_string(cpus[i]);
    if (end - i > 1) text += "-" + std::to_string(cpus[end - 1]);
    i = end;
  }
  return text;
}

}  // namespace rdmabench
