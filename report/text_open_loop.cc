#include "report/text_open_loop.h"

#include <algorithm>

#include "report/percentile.h"
#include "report/text_quantity.h"

namespace rdmabench::report {
namespace {

std::string Rate(double messages_per_second) {
  return Significant(messages_per_second, 6) + " messages/s";
}

std::string Objective(const Slo& slo) {
  return PercentileName(slo.percentile) + " within " + Significant(slo.most_ns / 1e3, 8) +
         " us at " + std::to_string(slo.message_bytes) + " B";
}

std::string Answer(const Slo& slo) {
  const std::optional<double>& held = slo.highest_held_messages_per_second;
  const std::optional<double>& failed = slo.lowest_failed_messages_per_second;
  const std::string probes =
      " (" + std::to_string(slo.probes) + (slo.probes == 1 ? " rate" : " rates") + " measured)";
  if (!held && !failed) return "not measured";
  if (!held) return "not held even at the lowest rate, " + Rate(*failed) + probes;
  if (!failed) return "held at the highest rate, " + Rate(*held) + probes;
  return "held up to " + Rate(*held) + ", not at " + Rate(*failed) + probes;
}

std::string Saturated(const OpenLoop& open) {
  return "  SATURATED at " + Rate(open.offered_messages_per_second) +
         " offered: " + Rate(open.achieved_messages_per_second) + " achieved, " +
         std::to_string(open.backlog_end) +
         " messages late at the end; times grow with the length of the run, so percentiles are "
         "left out\n";
}

}  // namespace

std::string LoopNotes(std::span<const Result* const> results) {
  const auto first = std::find_if(results.begin(), results.end(),
                                  [](const Result* r) { return r->latency.has_value(); });
  if (first == results.end()) return {};
  const std::optional<OpenLoop>& open = (*first)->open_loop;
  if (!open) {
    return "\n  closed loop: each message waits for the answer before, so that a stall is in one "
           "sample of a queue pair, and hidden in percentiles; see --rate\n";
  }
  std::string text = "\n  open loop, " + open->arrival + " arrivals" +
                     (open->seed ? " with seed " + std::to_string(*open->seed) : "") +
                     ": times count from the planned time, so that a stall is in all messages that "
                     "were due in it; svc: from the post\n";
  for (const Result* result : results) {
    if (result->open_loop && result->open_loop->saturated) text += Saturated(*result->open_loop);
  }
  return text;
}

std::string SloNotes(const std::vector<Slo>& answers, std::size_t plan_index) {
  std::string text;
  for (const Slo& slo : answers) {
    if (slo.plan_index == plan_index) text += "  " + Objective(slo) + ": " + Answer(slo) + "\n";
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace rdmabench::report
