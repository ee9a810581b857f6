// From the turns of single queue pairs to what a report says of a direction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "bench/clock.h"
#include "bench/job.h"
#include "report/report.h"

namespace rdmabench {

// Over all messages that `runs` have sent from queues of `depth` requests each. Absent where none
// were followed, where more than 1 % of a queue pair's messages or of the window came after its
// last whole turn, and where more than 1 % of its turns were starved: then the queue was not kept
// full, and did not mean to be.
std::optional<report::QueueTurn> MeanTurn(std::span<const JobRun> runs, std::uint32_t depth,
                                          const TickClock& clock);

}  // namespace rdmabench
