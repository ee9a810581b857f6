#include "report/json_runs.h"

#include <nlohmann/json.hpp>

namespace rdmabench::report {

using Json = nlohmann::ordered_json;

Json ClockOffsetJson(const ClockOffset& offset) {
  return {{"seconds", offset.seconds}, {"error_seconds", offset.error_seconds}};
}

Json SharedWindowJson(const SharedWindow& window) {
  return {{"seconds", window.seconds}, {"share", window.share}, {"used", window.used}};
}

Json UntilJson(const Until& until) {
  Json object = {{"ci_percent", until.ci_percent},
                 {"max_seconds", until.max_seconds},
                 {"reached", until.reached}};
  if (until.half_width_percent) object["half_width_percent"] = *until.half_width_percent;
  return object;
}

Json RepetitionJson(const Repetition& repetition) {
  Json object = {{"plan_index", repetition.plan_index},
                 {"test", repetition.test},
                 {"message_bytes", repetition.message_bytes},
                 {"metric", repetition.metric},
                 {"runs", repetition.results.size()},
                 {"median", repetition.median},
                 {"min", repetition.min},
                 {"max", repetition.max}};
  if (repetition.interval) {
    object["median_low"] = repetition.interval->low;
    object["median_high"] = repetition.interval->high;
    object["coverage"] = repetition.interval->coverage;
  }
  object["results"] = repetition.results;
  return object;
}

}  // namespace rdmabench::report
