// What the text says of how long, how often and over which window was measured.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/repetition.h"
#include "report/report.h"

namespace rdmabench::report {

// "2.000 s, after a warm-up of 1000 messages". For at least one result.
std::string LengthText(std::span<const Result* const> results);

// The window that two directions share, and how well their clocks are related; empty where none is.
std::string SharedWindowText(std::span<const Result* const> results);

// A line for each figure of several runs of one test.
std::string RepetitionLines(const std::vector<Repetition>& repetitions, std::size_t plan_index);

}  // namespace rdmabench::report
