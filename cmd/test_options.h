// The options of a test, which fill its plan.
#pragma once

#include "bench/plan.h"

namespace CLI {
class App;
}

namespace rdmabench {

void AddTestOptions(CLI::App& app, TestPlan& test);

}  // namespace rdmabench
