// What becomes of a client's wishes for where the server's threads and memory are.
#pragma once

#include "bench/plan.h"
#include "transport/placement.h"

namespace rdmabench {

// The wishes as far as the server's own choice leaves that open. Throws Error(kRun) naming both
// where it does not.
PlacementChoice Grant(const PlacementChoice& own, const RemoteOptions& asked);

}  // namespace rdmabench
