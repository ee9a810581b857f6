// What a rate cannot exceed: the payload that the link and the PCIe links can carry, and what can
// be in flight at once. What is not known is said, not guessed.
#pragma once

#include <cstddef>
#include <span>

#include "report/report.h"

namespace rdmabench {

// Of a result that has a rate. `earlier`: results of the same report, whose latency tells how long
// a round trip takes at least.
report::Bounds BoundsOf(const report::Result& result, std::span<const report::Host> hosts,
                        std::span<const report::Result> earlier);

// Whether both ends of a rail are one port of one device: then the link is not used.
bool IsOnePort(std::span<const report::Host> hosts, std::size_t rail = 0);

}  // namespace rdmabench
