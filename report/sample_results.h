// Results of every kind, of which the sample reports are made.
#pragma once

#include <cstdint>

#include "report/report.h"

namespace rdmabench::report {

inline constexpr double kSampleWindowSeconds = 2.0;

Result WriteBandwidth(std::uint64_t message_bytes, std::uint64_t messages);
Result SweepResult(std::uint64_t message_bytes, std::uint64_t messages);
Result SendLatency();
// So few samples that they do not back the higher percentiles.
Result RareLatency();
// A rate that was kept up with, and one that was not.
Result OpenLatency(double offered, bool saturated);
Slo SampleSlo();
Result BothWays();
// Of each kind of what may be known of a delivery.
Result LossySend(std::uint64_t message_bytes, const Delivery& delivery);

}  // namespace rdmabench::report
