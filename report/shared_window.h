// What two directions moved while both were under way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "report/progress_curve.h"

namespace rdmabench::report {

// One direction, as the side that counts it saw it.
struct Track {
  double opened_seconds = 0.0;  // on a clock that both have in common
  double window_seconds = 0.0;
  std::uint64_t messages = 0;
  std::vector<ProgressSample> samples = {};  // since the window opened

  double ClosedSeconds() const { return opened_seconds + window_seconds; }
};

struct SharedPart {
  double seconds = 0.0;
  double share = 0.0;  // of the longer window
  std::uint64_t messages = 0;
  std::vector<ProgressSample> samples = {};  // of both together, since the shared window opened
};

// Absent when one was over before the other began. A count between two samples is as if it had
// moved evenly.
std::optional<SharedPart> SharedPartOf(const Track& one, const Track& other);

}  // namespace rdmabench::report
