// What several fresh runs of one test and size say together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/report.h"

namespace rdmabench::report {

// The median lies between the rank-th smallest and the rank-th largest of the runs with this
// probability, whatever their distribution.
struct MedianRank {
  std::size_t rank = 1;
  double coverage = 0.0;
};

// The narrowest such pair that covers at least 95 %: 1 - 2 P(B < rank) for B of the binomial
// distribution of `runs` trials with even odds (David and Nagaraja, Order Statistics, 3rd edition,
// 7.1). Absent for fewer than six, of which not even the extremes cover as much.
std::optional<MedianRank> MedianRankOf(std::size_t runs);

struct Repetition {
  std::size_t plan_index = 0;
  std::string test = {};
  std::uint64_t message_bytes = 0;
  std::string metric = {};  // where the figure stands in a result: "bandwidth.bytes_per_second"
  double median = 0.0;      // of an even number: the mean of the middle two
  double min = 0.0;
  double max = 0.0;
  struct Interval {
    double low = 0.0;
    double high = 0.0;
    double coverage = 0.0;
  };
  std::optional<Interval> interval = {};  // of the median
  std::vector<std::size_t> results = {};  // indexes of the runs' results
};

// One for each test, size and figure that at least two complete runs have.
std::vector<Repetition> RepetitionsOf(const std::vector<Result>& results);

}  // namespace rdmabench::report
