// How often a file may be written while others wait: not at each occasion where writing takes long.
#pragma once

#include <chrono>

#include "transport/deadline.h"

namespace rdmabench {

class WritePace {
 public:
  bool MayWrite(Deadline now) const { return now >= next_; }
  void Wrote(Deadline began, Deadline ended) {
    const Deadline::duration took = ended - began;
    next_ = took <= kQuick ? ended : ended + kTimesAsLong * took;
  }

 private:
  static constexpr std::chrono::milliseconds kQuick{50};
  static constexpr int kTimesAsLong = 20;  // so a slow disk costs a suite a twentieth at most

  Deadline next_;
};

}  // namespace rdmabench
