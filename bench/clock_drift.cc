#include "bench/clock_drift.h"

#include <cmath>

namespace rdmabench {

void NoteDrift(std::optional<double> drift_ppm, report::Host& host) {
  if (!drift_ppm || !host.clock) return;
  std::optional<double>& known = host.clock->drift_ppm;
  if (!known || std::abs(*drift_ppm) > std::abs(*known)) known = drift_ppm;
}

}  // namespace rdmabench
