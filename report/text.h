// The report as a person reads it.
#pragma once

#include <string>

#include "report/report.h"

namespace rdmabench::report {

// The two hosts side by side; for each test what was agreed, its table with a line a result, and
// the checks that failed; then warnings and the error. Whatever stands in a text, the terminal sees
// no control characters but line ends.
std::string RenderText(const Report& report);

}  // namespace rdmabench::report
