#include "bench/clock_drift.h"

#include <gtest/gtest.h>

namespace rdmabench {
namespace {

TEST(NoteDrift, KeepsTheOneThatIsFurthestFromZero) {
  report::Host host;
  host.clock.emplace();
  NoteDrift(1.0, host);
  EXPECT_EQ(host.clock->drift_ppm, 1.0);
  NoteDrift(-3.0, host);
  NoteDrift(2.0, host);
  NoteDrift({}, host);
  EXPECT_EQ(host.clock->drift_ppm, -3.0);
}

TEST(NoteDrift, LeavesAHostWithoutAClockAlone) {
  report::Host host;
  NoteDrift(1.0, host);
  EXPECT_FALSE(host.clock);
}

}  // namespace
}  // namespace rdmabench
