// The results as comma-separated values, for spreadsheets and data frames.
#pragma once

#include <string>

#include "report/report.h"

namespace rdmabench::report {

// A line of names, then a line for each result; quoted as RFC 4180 says, lines end in LF. What is
// not known is an empty field. An error has no place here: the exit code and the other formats tell
// it.
std::string RenderCsv(const Report& report);

}  // namespace rdmabench::report
