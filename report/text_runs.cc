#include "report/text_runs.h"

#include <algorithm>
#include <string_view>

#include "report/text_phrase.h"
#include "report/text_quantity.h"

namespace rdmabench::report {
namespace {

using Results = std::span<const Result* const>;

std::string Seconds(double seconds) { return Fixed(seconds, 3) + " s"; }

std::string ArrivalText(const Effective& effective) {
  if (effective.arrival != "poisson") return {};
  return "poisson arrivals with seed " + std::to_string(effective.arrival_seed.value_or(0)) + ", ";
}

std::string EndText(Results results) {
  const Result& first = *results.front();
  const Effective& effective = first.effective;
  if (first.until) {
    return "until the mean is known to ± " + Fixed(first.until->ci_percent, 2) + " %, " +
           Seconds(first.until->max_seconds) + " at most, ";
  }
  if (effective.duration_seconds) return Seconds(*effective.duration_seconds) + ", ";
  if (!effective.iterations_per_queue_pair) return {};
  return Across(results,
                [](const Effective& e) { return e.iterations_per_queue_pair.value_or(0); }) +
         " messages a queue pair, ";
}

bool GotSteady(const Result* result) { return result->effective.warmup_steady.value_or(true); }

// How a figure of the JSON is shown.
struct Unit {
  std::string_view metric;
  std::string_view name;
  double scale;
  int decimals;
};

constexpr Unit kUnits[] = {
    {"bandwidth.bytes_per_second", "Gb/s", 8e-9, 3},
    {"latency.p50_ns", "p50 us", 1e-3, 2},
    {"latency.p99_ns", "p99 us", 1e-3, 2},
};

std::string Line(const Repetition& repetition, const Unit& unit) {
  const auto shown = [&unit](double value) { return Fixed(value * unit.scale, unit.decimals); };
  std::string line = "  " + Size(repetition.message_bytes) + ", " +
                     std::to_string(repetition.results.size()) +
                     " runs: " + std::string(unit.name) + " median " + shown(repetition.median) +
                     ", min " + shown(repetition.min) + ", max " + shown(repetition.max);
  if (const auto& interval = repetition.interval) {
    line += "; " + Fixed(interval->coverage * 100.0, 1) + " % interval of the median " +
            shown(interval->low) + " to " + shown(interval->high);
  }
  return line + "\n";
}

}  // namespace

std::string LengthText(Results results) {
  std::string text =
      EndText(results) + ArrivalText(results.front()->effective) + "after a warm-up of " +
      Across(results, [](const Effective& e) { return e.warmup_messages; }) + " messages";
  if (!std::all_of(results.begin(), results.end(), GotSteady)) text += " that did not get steady";
  return text;
}

std::string SharedWindowText(Results results) {
  double share = 1.0;
  double error = 0.0;
  bool known = false;
  bool used = true;
  for (const Result* result : results) {
    if (!result->shared_window || !result->clock_offset) continue;
    known = true;
    used = used && result->shared_window->used;
    share = std::min(share, result->shared_window->share);
    error = std::max(error, result->clock_offset->error_seconds);
  }
  if (!known) return {};
  return Fixed(share * 100.0, 1) + " % of the longer one is shared, clocks related to ± " +
         Fixed(error * 1e3, 3) + " ms" +
         (used ? "; rates are of the shared part" : "; some rates are of all of both");
}

std::string RepetitionLines(const std::vector<Repetition>& repetitions, std::size_t plan_index) {
  std::string lines;
  for (const Repetition& repetition : repetitions) {
    if (repetition.plan_index != plan_index) continue;
    for (const Unit& unit : kUnits) {
      if (unit.metric == repetition.metric) lines += Line(repetition, unit);
    }
  }
  return lines.empty() ? lines : "\n" + lines;
}

}  // namespace rdmabench::report
