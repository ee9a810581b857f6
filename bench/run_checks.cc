#include "bench/run_checks.h"

#include <cmath>
#include <string>

namespace rdmabench {
namespace {

constexpr double kLeastShare = 0.9;
// Half for the pace, half for the way of the last messages, which is in the window, too.
constexpr double kPaceTolerance = 0.01;
constexpr double kShortestPace = 1.0;  // seconds
// Random arrivals: the standard deviation of a Poisson process's count, so many times.
constexpr double kDeviations = 4.0;

}  // namespace

std::optional<report::Check> DirectionsOverlap(const report::Result& result) {
  if (!result.shared_window || !result.clock_offset) return std::nullopt;
  const report::SharedWindow& shared = *result.shared_window;
  report::Check check{.name = "directions_overlap",
                      .ok = shared.used && shared.share >= kLeastShare,
                      .figures = {{"shared_seconds", shared.seconds},
                                  {"share", shared.share},
                                  {"clock_error_seconds", result.clock_offset->error_seconds}},
                      .text = {}};
  if (!check.ok) {
    check.text = shared.used
                     ? "for a part of the time only one direction was under way; it is not counted"
                     : "the directions were not under way together for long enough to be told: the "
                       "rate is of all that both moved, from the first post to the last completion";
  }
  return check;
}

std::optional<report::Check> RateIsKept(const report::Result& result) {
  const std::optional<double>& planned = result.effective.planned_messages_per_second;
  if (!planned || result.traffic.empty()) return std::nullopt;
  double worst = 0.0, sent = 0.0;
  bool ok = true;
  for (const report::Direction& direction : result.traffic) {
    const double seconds = direction.sent.window_seconds;
    if (seconds < kShortestPace) return std::nullopt;
    const double expected = *planned * seconds;
    const double off = static_cast<double>(direction.sent.messages) - expected;
    double most = kPaceTolerance * expected +
                  static_cast<double>(result.effective.burst.value_or(1) * result.queue_pairs);
    if (result.effective.arrival == "poisson") most += kDeviations * std::sqrt(expected);
    ok = ok && std::abs(off) <= most;
    if (std::abs(off) / seconds < std::abs(worst)) continue;
    worst = off / seconds;
    sent = static_cast<double>(direction.sent.messages) / seconds;
  }
  const char* const why = worst < 0.0 ? "the sender or the path is slower"
                                      : "more was sent, so the sender's pace is wrong";
  return report::Check{
      .name = "rate_is_kept",
      .ok = ok,
      .figures = {{"planned_messages_per_second", *planned}, {"sent_messages_per_second", sent}},
      .text = ok ? "" : std::string("this is not the rate that was asked for: ") + why};
}

std::optional<report::Check> IntervalIsNarrow(const report::Result& result) {
  if (!result.until) return std::nullopt;
  const report::Until& until = *result.until;
  report::Check check{.name = "interval_is_narrow",
                      .ok = until.reached,
                      .figures = {{"most_percent", until.ci_percent}},
                      .text = {}};
  if (until.half_width_percent) {
    check.figures.emplace_back("found_percent", *until.half_width_percent);
  }
  if (!check.ok)
    check.text = "the mean was not known as well as asked for when --max-time was over";
  return check;
}

}  // namespace rdmabench
