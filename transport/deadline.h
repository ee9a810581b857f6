// Points in time on the monotonic clock. Every wait of the suite takes one.
#pragma once

#include <array>
#include <chrono>
#include <cstdio>
#include <string>

namespace rdmabench {

using Deadline = std::chrono::steady_clock::time_point;

inline Deadline Now() { return std::chrono::steady_clock::now(); }

template <class Rep, class Period>
Deadline In(std::chrono::duration<Rep, Period> time) {
  return Now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(time);
}

// "1.5 s", "10 s".
inline std::string InSeconds(std::chrono::milliseconds time) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%g s", static_cast<double>(time.count()) / 1000.0);
  return text.data();
}

}  // namespace rdmabench
