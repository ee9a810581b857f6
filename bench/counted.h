// An engine that also tells its own count, where the driver tells that of several together.
#pragma once

#include <atomic>
#include <cstdint>

#include "bench/drive.h"

namespace rdmabench {

template <class Engine>
class Counted {
 public:
  // Both outlive it.
  Counted(Engine& engine, std::atomic<std::uint64_t>& count) : engine_(engine), count_(count) {}

  bool Step() { return engine_.Step(); }
  bool Done() const { return engine_.Done(); }
  void Finish() { engine_.Finish(); }
  bool starved() const { return engine_.starved(); }
  const Failure& failure() const { return engine_.failure(); }
  // The driver asks once per pass.
  std::uint64_t completed() const {
    const std::uint64_t completed = engine_.completed();
    count_.store(completed, std::memory_order_relaxed);
    return completed;
  }

 private:
  Engine& engine_;
  std::atomic<std::uint64_t>& count_;
};

}  // namespace rdmabench
