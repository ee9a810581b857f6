// What each of several devices carried, for the report.
#pragma once

#include "bench/result.h"
#include "bench/side_run.h"
#include "report/report.h"

namespace rdmabench {

// Fills in the result's rails, once its rates and directions are there. Of one device there are
// none: it carried all.
void PutRails(const ResultContext& context, const SideRun& client, const SideRun* server,
              report::Result& result);

}  // namespace rdmabench
