// What an open loop makes of a side's account.
#pragma once

#include "bench/plan.h"
#include "bench/side_run.h"
#include "report/report.h"

namespace rdmabench {

// Whether messages were settled, by an answer or by its loss, at less than 99 % of the rate at
// which they were planned: the backlog then grows with the length of the run, and there is no
// steady state. Of an account that has an open loop.
bool IsSaturated(const SideRun& initiator);

// Fills in the open loop, and takes the percentiles out of a saturated one. Of a result with the
// initiator's latency and window.
void PutOpenLoop(const TestPlan& plan, const SideRun& initiator, report::Result& result);

}  // namespace rdmabench
