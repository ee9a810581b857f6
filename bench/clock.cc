#include "bench/clock.h"

#include <ctime>
#include <limits>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace rdmabench {
namespace {

constexpr int kBrackets = 200;
// Below this distance from the start the slope is too short to divide by; Observe() again costs
// microseconds.
constexpr std::uint64_t kShortestSlopeNs = 10'000'000;

}  // namespace

bool CounterIsInvariant() {
#if defined(__x86_64__)
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  constexpr unsigned kAdvancedPowerManagement = 0x80000007;
  constexpr unsigned kInvariantTsc = 1U << 8;
  if (__get_cpuid(kAdvancedPowerManagement, &eax, &ebx, &ecx, &edx) == 0) return false;
  return (edx & kInvariantTsc) != 0;
#elif defined(__aarch64__)
  return true;
#else
  return false;
#endif
}

std::uint64_t ReadSystemClock() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

TickClock::TickClock(TickSource source) : source_(source), start_(Observe()) {}

TickClock::TickClock(const std::atomic<std::uint64_t>& nanoseconds)
    : source_(TickSource::kSimulated), simulated_(&nanoseconds), start_(Observe()) {}

std::uint64_t TickClock::ReadNanoseconds() const {
  return simulated_ == nullptr ? ReadSystemClock() : simulated_->load(std::memory_order_relaxed);
}

std::string_view TickClock::source_name() const {
  if (source_ == TickSource::kSystem) return "clock_gettime";
  if (source_ == TickSource::kSimulated) return "simulated";
#if defined(__aarch64__)
  return "cntvct";
#else
  return "tsc";
#endif
}

TickClock::Moment TickClock::Observe() const {
  if (source_ != TickSource::kCounter) return {ReadNanoseconds(), ReadNanoseconds()};
  Moment best;
  std::uint64_t tightest = std::numeric_limits<std::uint64_t>::max();
  for (int i = 0; i < kBrackets; ++i) {
    const std::uint64_t before = ReadSystemClock();
    const std::uint64_t ticks = ReadCounter();
    const std::uint64_t after = ReadSystemClock();
    if (after - before >= tightest) continue;
    tightest = after - before;
    best = {ticks, before + (after - before) / 2};
  }
  return best;
}

double TickClock::NanosecondsPerTick() const {
  if (source_ != TickSource::kCounter) return 1.0;
  Moment end = Observe();
  while (end.nanoseconds - start_.nanoseconds < kShortestSlopeNs) end = Observe();
  return static_cast<double>(end.nanoseconds - start_.nanoseconds) /
         static_cast<double>(end.ticks - start_.ticks);
}

std::optional<double> TickClock::DriftPpm(const Moment& from) const {
  if (source_ != TickSource::kCounter) return std::nullopt;
  return DriftPpm(start_, from, Observe());
}

std::optional<double> TickClock::DriftPpm(const Moment& start, const Moment& from,
                                          const Moment& now) {
  constexpr std::uint64_t kShortestNs = 1'000'000'000;
  constexpr std::uint64_t kShortestCalibrationNs = 50'000'000;
  if (now.nanoseconds - from.nanoseconds < kShortestNs) return std::nullopt;
  if (from.nanoseconds - start.nanoseconds < kShortestCalibrationNs) return std::nullopt;
  const auto rate = [](const Moment& first, const Moment& last) {
    return static_cast<double>(last.ticks - first.ticks) /
           static_cast<double>(last.nanoseconds - first.nanoseconds);
  };
  return (rate(from, now) / rate(start, from) - 1.0) * 1e6;
}

double TickClock::Seconds(std::uint64_t from_ticks, std::uint64_t to_ticks) const {
  return static_cast<double>(to_ticks - from_ticks) * NanosecondsPerTick() * 1e-9;
}

}  // namespace rdmabench
