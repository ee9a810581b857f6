// What the text report says of messages that may get lost.
#pragma once

#include <span>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

// A line where the same goes for all results, which are of one test, else one for each of them and
// each direction. Empty where messages are acknowledged.
std::string DeliveryLines(const Report& report, std::span<const Result* const> results);

}  // namespace rdmabench::report
