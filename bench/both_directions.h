// The sum of a bidirectional test's two directions, each by the side that counts it.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/side_run.h"
#include "report/report.h"
#include "report/statistics.h"

namespace rdmabench {

struct BothDirections {
  std::uint64_t messages = 0;
  double window_seconds = 0.0;
  std::vector<report::ProgressSample> samples;
  report::SharedWindow shared;
};

// `at_receiver`: arrivals count, not the sender's completions. Over the window that both share,
// where it is long enough for the clocks' uncertain offset; else of all that both moved, from the
// first post to the last completion.
BothDirections SumOf(const SideRun& client, const SideRun& server, bool at_receiver,
                     const report::ClockOffset& offset);

}  // namespace rdmabench
