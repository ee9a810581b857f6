// What became of messages that may get lost: what was sent against what has arrived.
#pragma once

#include <optional>

#include "bench/test.h"
#include "report/report.h"
#include "transport/qp_type.h"

namespace rdmabench {

// Of a direction whose run is complete. Absent where each message is acknowledged, and of a latency
// test, which counts the answers that did not come. `arrivals`: by sequence numbers, where messages
// have some.
std::optional<report::Delivery> DeliveryOf(const Test& test, const QpType& type,
                                           const report::Direction& direction,
                                           const std::optional<report::Arrivals>& arrivals);

}  // namespace rdmabench
