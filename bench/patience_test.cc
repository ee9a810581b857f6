#include "bench/patience.h"

#include <gtest/gtest.h>

#include <chrono>

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLongestPhase{3'600'000};
constexpr milliseconds kPlanned{7'000};

// A run that stalls after 3 s.
RunOptions Bounded() {
  RunOptions run;
  run.duration_ms = 5'000;
  run.stall_timeout_ms = 3'000;
  return run;
}

TEST(Patience, IsWhatIsPlannedAndAStallAndAStep) {
  EXPECT_EQ(PatienceFor(Bounded(), kPlanned, kLongestPhase), milliseconds(7'000 + 3'000 + 60'000));
  EXPECT_EQ(PatienceFor(Bounded(), milliseconds(0), kLongestPhase), milliseconds(63'000));
}

TEST(Patience, IsNeverLongerThanTheLongestPhase) {
  EXPECT_EQ(PatienceFor(Bounded(), kPlanned, milliseconds(69'999)), milliseconds(69'999));
  EXPECT_EQ(PatienceFor(Bounded(), kPlanned, milliseconds(70'001)), milliseconds(70'000));
}

TEST(Patience, IsTheLongestPhaseWhereThePlanBoundsNoTime) {
  RunOptions verified = Bounded();
  verified.verify = true;
  RunOptions by_bits = Bounded();
  by_bits.rate.bits_per_second = 1e3;
  RunOptions by_messages = Bounded();
  by_messages.rate.messages_per_second = 1.0;
  RunOptions swept = Bounded();
  swept.rate_sweep = {1, 2};
  RunOptions searched = Bounded();
  searched.slo_percentile = 99.0;
  for (const RunOptions& run : {verified, by_bits, by_messages, swept, searched}) {
    EXPECT_EQ(PatienceFor(run, kPlanned, kLongestPhase), kLongestPhase);
    EXPECT_EQ(PatienceForResults(run, kLongestPhase), kLongestPhase);
  }
}

TEST(Patience, ForResultsIsThatForTheWholeWindow) {
  RunOptions run = Bounded();
  EXPECT_EQ(PatienceForResults(run, kLongestPhase), milliseconds(5'000 + 63'000));
  run.until_ci_percent = 1.0;
  run.max_time_ms = 20'000;
  EXPECT_EQ(PatienceForResults(run, kLongestPhase), milliseconds(20'000 + 63'000));
}

TEST(Patience, ForResultsIsTheLongestPhaseWhereACountOrTheUserEndsTheWindow) {
  RunOptions counted = Bounded();
  counted.iterations = 1;
  EXPECT_EQ(PatienceForResults(counted, kLongestPhase), kLongestPhase);
  RunOptions endless = Bounded();
  endless.until_interrupted = true;
  EXPECT_EQ(PatienceForResults(endless, kLongestPhase), kLongestPhase);
}

}  // namespace
}  // namespace rdmabench
