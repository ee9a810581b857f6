// SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
#pragma once

#include <cstdint>

namespace rdmabench::split_mix {

// What the state moves on by: an odd number, so that it comes by all of them.
inline constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15;
inline constexpr std::uint64_t kFirst = 0xbf58476d1ce4e5b9;
inline constexpr std::uint64_t kSecond = 0x94d049bb133111eb;

// A bijection in which each bit of the input moves half of the output's.
constexpr std::uint64_t Mix(std::uint64_t value) {
  value = (value ^ (value >> 30)) * kFirst;
  value = (value ^ (value >> 27)) * kSecond;
  return value ^ (value >> 31);
}

}  // namespace rdmabench::split_mix
