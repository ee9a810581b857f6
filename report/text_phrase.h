// Phrases of the text output about results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

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
