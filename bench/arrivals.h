// When planned messages come: at even distances, or at random as a Poisson process has them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "bench/split_mix.h"

namespace rdmabench {

// One seed means one sequence everywhere, which the distributions of the standard library do not
// promise.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Next() { return split_mix::Mix(state_ += split_mix::kIncrement); }
  // Above 0, up to 1, in steps of 2^-53.
  double NextShare() { return (static_cast<double>(Next() >> 11) + 1.0) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

// Of one lane among all lanes of both sides that share a schedule.
struct ArrivalOptions {
  double mean_ticks = 0.0;  // between two
  std::uint32_t lane = 0;
  std::uint32_t lanes = 1;  // of one side; the other's have the numbers after them
  std::uint64_t seed = 0;
};

// Next() is the time of the next arrival in ticks since the beginning.

// The lanes take turns.
class Even {
 public:
  static constexpr std::string_view kName = "const";

  explicit Even(const ArrivalOptions& options)
      : mean_ticks_(options.mean_ticks),
        first_ticks_(options.mean_ticks * (options.lane % options.lanes) / options.lanes) {}

  // From the beginning each time, so that what is rounded off does not add up.
  double Next() { return first_ticks_ + static_cast<double>(count_++) * mean_ticks_; }

 private:
  double mean_ticks_;
  double first_ticks_;
  std::uint64_t count_ = 0;
};

// Exponential gaps, of a generator for each lane: together the lanes are a Poisson process again.
class Poisson {
 public:
  static constexpr std::string_view kName = "poisson";

  explicit Poisson(const ArrivalOptions& options)
      : mean_ticks_(options.mean_ticks),
        random_(SplitMix64(SplitMix64(options.seed).Next() + options.lane).Next()) {}

  double Next() { return at_ticks_ -= mean_ticks_ * std::log(random_.NextShare()); }

 private:
  double mean_ticks_;
  SplitMix64 random_;
  double at_ticks_ = 0.0;
};

inline constexpr std::array kArrivals = {Even::kName, Poisson::kName};

}  // namespace rdmabench
