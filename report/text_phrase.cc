#include "report/text_phrase.h"

#include <algorithm>

#include "report/printable.h"

namespace rdmabench::report {

void AppendWord(std::string& list, std::string_view word, std::string_view separator) {
  if (!list.empty()) list += separator;
  list += word;
}

std::string Joined(const std::vector<std::string>& words, std::string_view separator) {
  std::string list;
  for (const std::string& word : words) {
    if (!word.empty()) AppendWord(list, word, separator);
  }
  return list;
}

std::string Across(std::span<const Result* const> results,
                   const std::function<std::uint64_t(const Effective&)>& value,
                   const std::function<std::string(std::uint64_t)>& show) {
  std::uint64_t least = value(results.front()->effective);
  std::uint64_t most = least;
  for (const Result* result : results) {
    least = std::min(least, value(result->effective));
    most = std::max(most, value(result->effective));
  }
  return least == most ? show(least) : show(least) + " to " + show(most);
}

std::string Across(std::span<const Result* const> results,
                   const std::function<std::uint64_t(const Effective&)>& value) {
  return Across(results, value, [](std::uint64_t number) { return std::to_string(number); });
}

std::string HostName(const Report& report, std::size_t index) {
  return index < report.hosts.size() ? Printable(report.hosts[index].name) : "unknown";
}

}  // namespace rdmabench::report
