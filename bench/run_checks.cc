#include "bench/run_checks.h"

namespace rdmabench {
namespace {

constexpr double kLeastShare = 0.9;

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
