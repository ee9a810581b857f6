// The options of a test, which fill its plan.
#pragma once

#include "bench/plan.h"

namespace CLI {
class App;
}

namespace rdmabench {

// What was given, where the plan has a default and cannot tell.
struct Given {
  bool duration = false;
};

void AddTestOptions(CLI::App& app, TestPlan& test, Given& given);
// Once all are parsed. Throws Error(kUsage) for options that clash.
void CheckGiven(const TestPlan& test, const Given& given);

}  // namespace rdmabench
