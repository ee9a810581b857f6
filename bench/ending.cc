#include "bench/ending.h"

#include <algorithm>
#include <vector>

#include "report/statistics.h"
#include "report/steadiness.h"

namespace rdmabench {
namespace {

constexpr std::size_t kSamplesALook = 50;

// From the first sample on, of which there is one.
std::vector<report::ProgressSample> SinceTheFirst(std::span<const Sample> samples,
                                                  double ns_per_tick) {
  std::vector<report::ProgressSample> progress;
  progress.reserve(samples.size());
  const Sample& first = samples.front();
  for (const Sample& sample : samples) {
    progress.push_back({static_cast<double>(sample.ticks - first.ticks) * ns_per_tick * 1e-9,
                        sample.counted - first.counted});
  }
  return progress;
}

}  // namespace

bool SteadyRate::IsEnough(std::span<const Sample> samples) {
  const std::size_t looked_at = std::min(samples.size(), report::kSteadySlices + 1);
  if (looked_at == 0) return false;
  reached_ = report::IsFlat(SinceTheFirst(samples.last(looked_at), ns_per_tick_));
  return reached_;
}

bool NarrowInterval::IsEnough(std::span<const Sample> samples) {
  if (samples.empty() || samples.size() % kSamplesALook != 0) return false;
  const std::vector<report::ProgressSample> progress = SinceTheFirst(samples, ns_per_tick_);
  const std::optional<report::Bandwidth> bandwidth =
      report::BandwidthOf({.messages = progress.back().messages,
                           .bytes = progress.back().messages,
                           .window_seconds = progress.back().seconds,
                           .samples = progress,
                           .rules = {.signal_every = signal_every_}});
  if (!bandwidth || !bandwidth->spread) return false;
  const double half = (bandwidth->spread->ci95_high_bytes_per_second -
                       bandwidth->spread->ci95_low_bytes_per_second) /
                      2.0;
  half_width_percent_ = half / bandwidth->bytes_per_second * 100.0;
  reached_ = *half_width_percent_ <= percent_;
  return reached_;
}

}  // namespace rdmabench
