// Phrases of the text output.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/report.h"

namespace rdmabench::report {

// Adds a word to a list that is being made; an empty list has none yet.
void AppendWord(std::string& list, std::string_view word, std::string_view separator = ", ");
// Those of the words that are there, as a list.
std::string Joined(const std::vector<std::string>& words, std::string_view separator = ", ");

// One value where all results have the same, else the range: "5 to 9". Of at least one result.
std::string Across(std::span<const Result* const> results,
                   const std::function<std::uint64_t(const Effective&)>& value,
                   const std::function<std::string(std::uint64_t)>& show);
// The same in plain numbers.
std::string Across(std::span<const Result* const> results,
                   const std::function<std::uint64_t(const Effective&)>& value);

// "unknown" where the report has no such host.
std::string HostName(const Report& report, std::size_t index);

}  // namespace rdmabench::report
