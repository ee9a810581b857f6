#include "bench/patience.h"

#include <algorithm>

namespace rdmabench {

using std::chrono::milliseconds;

milliseconds PatienceFor(const RunOptions& run, milliseconds planned, milliseconds longest_phase) {
  if (run.verify || run.IsPaced()) return longest_phase;
  return std::min(longest_phase, planned + milliseconds(run.stall_timeout_ms) + kStepTimeout);
}

milliseconds PatienceForResults(const RunOptions& run, milliseconds longest_phase) {
  if (run.iterations) return longest_phase;
  return PatienceFor(run, milliseconds(run.LongestMs()), longest_phase);
}

}  // namespace rdmabench
