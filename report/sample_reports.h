// Reports made up for the golden tests of all formats.
#pragma once

#include <span>
#include <string_view>

#include "report/report.h"

namespace rdmabench::report {

struct Sample {
  std::string_view name;  // of the golden files: testdata/NAME.json, …
  Report (*report)();
};

std::span<const Sample> Samples();

}  // namespace rdmabench::report
