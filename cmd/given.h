// Which options were given on the command line, and which of them do not go together: where the
// plan has a default it cannot tell one that was asked for from one that was not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/plan.h"

namespace rdmabench {

struct Given {
  std::vector<std::string> options;  // by their long names, such as "--duration"

  bool Has(std::string_view name) const;
};

// Throws Error(kUsage) for options that clash with each other or with the test.
void CheckGiven(const TestPlan& test, const Given& given);

}  // namespace rdmabench
