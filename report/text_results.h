// The part of the text report that shows results.
#pragma once

#include <string>

#include "report/report.h"

namespace rdmabench::report {

// A block for each test, in the order of the plan: what was agreed, a table with a line a result,
// what became of the messages where they may get lost, the checks that failed.
std::string RenderResults(const Report& report);

}  // namespace rdmabench::report
