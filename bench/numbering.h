// Whether the messages of a size are numbered, by one rule on both sides.
#pragma once

#include "bench/plan.h"
#include "bench/ring.h"
#include "bench/sequence.h"
#include "bench/shape.h"

namespace rdmabench {

// Numbered are messages of a bandwidth test that may get lost and whose receiver takes each of
// them: in the immediate where there is one, else in the payload where it has room and no two
// messages share a slot.
Numbering NumberingOf(const TestPlan& test, const RingShape& shape, const ReceiveShape& receive);

// The first number of a side's n-th run over the same queue pairs: so far from those of the run
// before that a straggler is not taken for a message of this one.
inline constexpr std::uint64_t FirstNumber(std::uint64_t run) { return run << 30; }

}  // namespace rdmabench
