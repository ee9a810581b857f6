#include "report/batch_means.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numeric>

namespace rdmabench::report {

std::optional<MeanInterval> MeanIntervalOf(std::span<const double> batches) {
  if (batches.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(batches.size());
  MeanInterval interval;
  interval.mean = std::accumulate(batches.begin(), batches.end(), 0.0) / count;
  double squares = 0.0;
  double products = 0.0;
  for (std::size_t i = 0; i < batches.size(); ++i) {
    const double from_mean = batches[i] - interval.mean;
    squares += from_mean * from_mean;
    if (i > 0) products += from_mean * (batches[i - 1] - interval.mean);
  }
  if (squares == 0.0) return interval;
  interval.correlation = products / squares;
  const double positive = std::max(interval.correlation, 0.0);
  interval.half_width = StudentT95(batches.size() - 1) *
                        std::sqrt(squares / (count - 1.0) / count) *
                        std::sqrt((1.0 + positive) / (1.0 - positive));
  return interval;
}

double StudentT95(std::size_t degrees_of_freedom) {
  assert(degrees_of_freedom >= 1);
  constexpr std::array kSmall = {12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818,
                                 2.4469118,  2.3646243, 2.3060041, 2.2621572, 2.2281389,
                                 2.2009852,  2.1788128, 2.1603687, 2.1447867, 2.1314495};
  if (degrees_of_freedom <= kSmall.size()) return kSmall[degrees_of_freedom - 1];

  // Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.5; right to 1e-6 from here on.
  constexpr double kZ = 1.959963984540054;  // the same quantile of the normal distribution
  constexpr double kZ2 = kZ * kZ;
  constexpr double kG1 = kZ * (kZ2 + 1.0) / 4.0;
  constexpr double kG2 = kZ * ((5.0 * kZ2 + 16.0) * kZ2 + 3.0) / 96.0;
  constexpr double kG3 = kZ * (((3.0 * kZ2 + 19.0) * kZ2 + 17.0) * kZ2 - 15.0) / 384.0;
  constexpr double kG4 =
      kZ * ((((79.0 * kZ2 + 776.0) * kZ2 + 1482.0) * kZ2 - 1920.0) * kZ2 - 945.0) / 92160.0;
  const auto n = static_cast<double>(degrees_of_freedom);
  return kZ + (kG1 + (kG2 + (kG3 + kG4 / n) / n) / n) / n;
}

}  // namespace rdmabench::report
