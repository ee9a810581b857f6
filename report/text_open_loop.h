// What the text report says below a table of latencies: what kind of loop they are of.
#pragma once

#include <span>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

// How a stall shows in the figures, and each result that is saturated. Empty where there is no
// latency.
std::string LoopNotes(std::span<const Result* const> results);
// The answers to the objectives of the test.
std::string SloNotes(const std::vector<Slo>& answers, std::size_t plan_index);

}  // namespace rdmabench::report
