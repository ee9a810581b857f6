#include "report/shared_window.h"

#include <algorithm>
#include <cmath>

namespace rdmabench::report {
namespace {

ProgressCurve CurveOf(const Track& track) {
  return {track.messages, track.window_seconds, track.samples};
}

}  // namespace

std::optional<SharedPart> SharedPartOf(const Track& one, const Track& other) {
  const double opened = std::max(one.opened_seconds, other.opened_seconds);
  const double closed = std::min(one.ClosedSeconds(), other.ClosedSeconds());
  if (!(closed > opened)) return std::nullopt;
  const ProgressCurve first = CurveOf(one);
  const ProgressCurve second = CurveOf(other);
  const auto count_at = [&](double seconds) {
    return first.At(seconds - one.opened_seconds) + second.At(seconds - other.opened_seconds);
  };
  const double before = count_at(opened);
  const auto moved_at = [&](double seconds) {
    return static_cast<std::uint64_t>(std::llround(count_at(seconds) - before));
  };
  SharedPart part;
  part.seconds = closed - opened;
  part.share = part.seconds / std::max(one.window_seconds, other.window_seconds);
  part.messages = moved_at(closed);
  // At the moments of the one that was sampled less often: between its samples nothing is known.
  const Track& sparse = one.samples.size() < other.samples.size() ? one : other;
  for (const ProgressSample& sample : sparse.samples) {
    const double seconds = sparse.opened_seconds + sample.seconds;
    if (seconds <= opened || seconds >= closed) continue;
    part.samples.push_back({seconds - opened, moved_at(seconds)});
  }
  return part;
}

}  // namespace rdmabench::report
