// The cycle counter, and what a tick of it is worth. The only user of the counter's instructions.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rdmabench {

// What Now() of a clock counts.
enum class TickSource {
  kCounter,    // invariant TSC (x86-64) or CNTVCT_EL0 (aarch64)
  kSystem,     // clock_gettime(CLOCK_MONOTONIC_RAW), in nanoseconds
  kSimulated,  // what a test says, in nanoseconds
};

// Reads the processor's counter. Only meaningful between reads on one machine, and where
// CounterIsInvariant().
inline std::uint64_t ReadCounter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
  std::uint64_t ticks;
  asm volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
  return ticks;
#else
  return 0;
#endif
}

// True when the counter runs at one rate through frequency changes and sleep states: CPUID
// 80000007h EDX bit 8 (Intel SDM vol. 3B 18.17.1) on x86-64, always on aarch64.
bool CounterIsInvariant();

// CLOCK_MONOTONIC_RAW in nanoseconds.
std::uint64_t ReadSystemClock();

// A source and its calibration. The rate is the slope between two moments, each the tightest of
// many brackets of a counter read between two reads of CLOCK_MONOTONIC_RAW: one at construction,
// one at every NanosecondsPerTick(). So the longer the process has run, the better the rate;
// convert once, at the end.
class TickClock {
 public:
  TickClock() : TickClock(CounterIsInvariant() ? TickSource::kCounter : TickSource::kSystem) {}
  explicit TickClock(TickSource source);
  // For tests: it shows `nanoseconds`, which outlives it.
  explicit TickClock(const std::atomic<std::uint64_t>& nanoseconds);

  std::uint64_t Now() const {
    return source_ == TickSource::kCounter ? ReadCounter() : ReadNanoseconds();
  }
  TickSource source() const { return source_; }
  std::string_view source_name() const;  // "tsc", "cntvct", "clock_gettime", "simulated"

  double NanosecondsPerTick() const;
  double Seconds(std::uint64_t from_ticks, std::uint64_t to_ticks) const;

  // Both clocks at once.
  struct Moment {
    std::uint64_t ticks = 0;
    std::uint64_t nanoseconds = 0;
  };
  Moment Observe() const;
  // By how much, in parts per million, the counter has run faster since `from` than between this
  // clock's making and `from`. Absent for less than a second, or a calibration of less than 50 ms,
  // in which nothing can be told, and where there is only one clock.
  std::optional<double> DriftPpm(const Moment& from) const;
  static std::optional<double> DriftPpm(const Moment& start, const Moment& from, const Moment& now);

 private:
  std::uint64_t ReadNanoseconds() const;  // of a source that counts them

  TickSource source_;
  const std::atomic<std::uint64_t>* simulated_ = nullptr;
  Moment start_;
};

}  // namespace rdmabench
