// How long one side of a test waits for the other one, where that lives and stands still.
#pragma once

#include <chrono>

#include "bench/plan.h"

namespace rdmabench {

// For a step that the peer does by itself: making queue pairs, connecting them. Emulated hosts need
// most of it.
inline constexpr std::chrono::milliseconds kStepTimeout{60'000};

// For a step to which the plan gives so long: no longer than a run that the plan bounds can take.
// Content that is filled and compared takes as long as there is of it, and a slow rate may make a
// warm-up or the last message long: then it is `longest_phase`, as it is at most.
std::chrono::milliseconds PatienceFor(const RunOptions& run, std::chrono::milliseconds planned,
                                      std::chrono::milliseconds longest_phase);

// For the results of a size, on a side that has nothing to do meanwhile. A count of messages bounds
// no time.
std::chrono::milliseconds PatienceForResults(const RunOptions& run,
                                             std::chrono::milliseconds longest_phase);

}  // namespace rdmabench
