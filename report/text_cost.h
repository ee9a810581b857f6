// What bounds the rates of a table and what they cost, in a line each.
#pragma once

#include <span>
#include <string>

#include "report/report.h"

namespace rdmabench::report {

// Of results that differ in size only: of the one that comes nearest to its bound, and of the last.
std::string RenderBounds(std::span<const Result* const> results);
std::string RenderCpu(std::span<const Result* const> results);

}  // namespace rdmabench::report
