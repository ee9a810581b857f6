// Whether a rate has settled: its slope over the last slices of time.
#pragma once

#include <cstddef>
#include <span>

#include "report/progress_curve.h"

namespace rdmabench::report {

inline constexpr std::size_t kSteadySlices = 10;
// Over all slices the fitted line may rise or fall by as much of the mean rate.
inline constexpr double kFlatShare = 0.02;

// Fits a line through the rates of the last kSteadySlices slices between samples (least squares).
// It is flat when over all of them it changes by at most kFlatShare of their mean, or by no more
// than their noise explains (Student's t, 95 %). False for fewer slices, and where nothing moved.
bool IsFlat(std::span<const ProgressSample> samples);

}  // namespace rdmabench::report
