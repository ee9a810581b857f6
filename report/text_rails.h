// What the text report says of several devices that were used at once.
#pragma once

#include <span>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

// "2 devices" of "8 queue pairs, 2 threads on 2 devices"; empty where there is one.
std::string DevicesPhrase(const Result& result);
// "rxe0 → rxe0, rxe1 → rxe1, paired by subnet"
std::string PairsPhrase(const Report& report, const Result& result);
// A table with a line for each pair of devices of each result; empty where there is one.
std::string RailLines(std::span<const Result* const> results);

}  // namespace rdmabench::report
