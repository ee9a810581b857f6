// Which tests are an open loop: messages sent at planned times, without waiting for answers.
#pragma once

#include <cstdint>

#include "bench/plan.h"

namespace rdmabench {

// A latency test with a rate.
bool IsOpenLoop(const TestPlan& test);
// Its messages say which they are (see open_answers.h): they are seen by where they are, or their
// answers may be lost.
bool NamesSlots(const TestPlan& test);
// The name stands in the payload, which then has to have room for it.
bool NamesSlotsInPayload(const TestPlan& test);

// Slots that a byte of payload can name, and the bytes that name one and its mark.
inline constexpr std::uint32_t kMostNamedSlots = 256;
inline constexpr std::uint32_t kNameBytes = 2;

// Samples that a run has to have for ten to lie beyond the percentile, with room for those that a
// random plan does not have.
double SamplesFor(double percentile);

// What Validate() asks of a test with a rate, beyond its table. Throws Error(kUsage).
void ValidatePlannedTimes(const TestPlan& test);

}  // namespace rdmabench
