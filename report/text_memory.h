// What the text says of the memory of messages.
#pragma once

#include <span>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

// "working set 1 MiB, relaxed ordering on", and what is not as usual. Of at least one result.
std::string MemoryText(std::span<const Result* const> results);

}  // namespace rdmabench::report
