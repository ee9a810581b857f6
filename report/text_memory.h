// What the text says of the memory of messages.
#pragma once

#include <span>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

// "working set 1 MiB, relaxed ordering on"; of at least one result.
std::string MemoryText(std::span<const Result* const> results);
// "huge2m, pages of 2 MiB"; empty where both sides have the usual kind.
std::string MemoryKindText(const Memories& memories);

}  // namespace rdmabench::report
