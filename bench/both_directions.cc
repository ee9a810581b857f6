#include "bench/both_directions.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/shared_window.h"

namespace rdmabench {
namespace {

// The shared window is so much longer than what its ends are uncertain by.
constexpr double kErrorsInAWindow = 50.0;

// What a side counts, on the client's clock.
report::Track TrackOf(const SideRun& side, bool at_receiver, double offset_seconds) {
  const report::Traffic counted =
      (at_receiver ? side.received : side.sent).value_or(report::Traffic{});
  const std::uint64_t opened_ns = at_receiver ? side.received_opened_ns : side.sent_opened_ns;
  report::Track track{.opened_seconds = static_cast<double>(opened_ns) * 1e-9 - offset_seconds,
                      .window_seconds = counted.window_seconds,
                      .messages = counted.messages};
  // Samples are timed from the side's first post.
  const double before =
      static_cast<double>(static_cast<std::int64_t>(opened_ns - side.sent_opened_ns)) * 1e-9;
  for (const report::ProgressSample& sample : side.samples) {
    track.samples.push_back({sample.seconds - before, sample.messages});
  }
  return track;
}

}  // namespace

BothDirections SumOf(const SideRun& client, const SideRun& server, bool at_receiver,
                     const report::ClockOffset& offset) {
  const report::Track here = TrackOf(client, at_receiver, 0.0);
  const report::Track there = TrackOf(server, at_receiver, offset.seconds);
  const std::optional<report::SharedPart> part = report::SharedPartOf(here, there);
  BothDirections both;
  if (part) {
    both.shared.seconds = part->seconds;
    both.shared.share = part->share;
    both.shared.used = part->seconds >= kErrorsInAWindow * offset.error_seconds;
  }
  if (both.shared.used) {
    both.messages = part->messages;
    both.window_seconds = part->seconds;
    both.samples = part->samples;
  } else {
    both.messages = here.messages + there.messages;
    both.window_seconds = std::max(here.ClosedSeconds(), there.ClosedSeconds()) -
                          std::min(here.opened_seconds, there.opened_seconds);
  }
  return both;
}

}  // namespace rdmabench
