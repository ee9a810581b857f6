// Turns what a run did into what the report says.
#pragma once

#include <cstddef>

#include "bench/agreement.h"
#include "bench/clock.h"
#include "bench/test_run.h"
#include "report/report.h"

namespace rdmabench {

struct ResultContext {
  std::size_t plan_index = 0;
  std::size_t size_index = 0;
  const TestPlan& plan;
  const Agreement& agreement;
  const Endpoint& endpoint;
  const TickClock& clock;
};

report::Result MakeResult(const ResultContext& context, const SizeRun& run);

}  // namespace rdmabench
