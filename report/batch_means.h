// The 95 % interval of a mean, from the means of batches that follow one another and may be
// correlated.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace rdmabench::report {

// More batches gain next to nothing, and shorter ones are more correlated: Schmeiser, "Batch size
// effects in the analysis of simulation output", Operations Research 30 (1982).
inline constexpr std::size_t kMostBatches = 30;

struct MeanInterval {
  double mean = 0.0;
  double half_width = 0.0;
  double correlation = 0.0;  // of a batch with the next one
};

// mean ± t(0.975, n - 1) · stdev / √n · √((1 + r) / (1 - r)), where r is the correlation of a batch
// with the next one as far as it is positive: as if they were an autoregressive process of order 1,
// which is also what Skart does (Tafazzoli and others, INFORMS Journal on Computing 23, 2011).
// Absent for fewer than two.
std::optional<MeanInterval> MeanIntervalOf(std::span<const double> batches);

// The two-sided 95 % quantile of Student's t. For at least one degree of freedom.
double StudentT95(std::size_t degrees_of_freedom);

}  // namespace rdmabench::report
