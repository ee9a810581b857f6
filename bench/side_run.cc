#include "bench/side_run.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/cpu_cost_json.h"
#include "bench/verification_json.h"
#include "transport/error.h"
#include "transport/json_reader.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr double kMostSeconds = 1e9;
constexpr double kMostNs = 1e18;
constexpr double kMostDriftPpm = 1e9;
constexpr double kMostMessagesPerSecond = 1e12;
constexpr double kMostPercent = 1e9;
constexpr std::uint64_t kLatestNs = std::uint64_t{1} << 62;
// 13 days, since a window opened: as seconds and back they are the same nanoseconds.
constexpr std::uint64_t kMostSampleNs = std::uint64_t{1} << 50;
constexpr std::size_t kMostSamples = 16384;
constexpr std::size_t kMostBuckets = 65536;
constexpr std::size_t kLongestWays = 16384;
constexpr std::size_t kMostWarnings = 64;
constexpr std::size_t kLongestWarning = 2000;

// Two lists that belong together.
void CheckPairs(std::size_t first, std::size_t second, const std::string& path) {
  if (first == second) return;
  throw Error(Blame::kRun, path + " has lists of " + std::to_string(first) + " and " +
                               std::to_string(second) + " entries that belong together");
}

json TrafficToJson(const report::Traffic& traffic) {
  json object = {{"messages", traffic.messages},
                 {"bytes", traffic.bytes},
                 {"window_seconds", traffic.window_seconds},
                 {"messages_per_queue_pair", traffic.messages_per_queue_pair}};
  if (traffic.completion_opcode) object["completion_opcode"] = *traffic.completion_opcode;
  if (traffic.queue_turn) {
    object["turn_ns"] = traffic.queue_turn->turn_ns;
    object["refill_ns"] = traffic.queue_turn->refill_ns;
  }
  return object;
}

report::Traffic TrafficFromJson(JsonReader reader, std::uint32_t queue_pairs) {
  report::Traffic traffic;
  traffic.messages = reader.Number("messages", 0, kMost);
  traffic.bytes = reader.Number("bytes", 0, kMost);
  traffic.window_seconds = reader.Real("window_seconds", 0.0, kMostSeconds);
  traffic.messages_per_queue_pair =
      reader.Numbers("messages_per_queue_pair", 0, kMost, queue_pairs);
  if (reader.Has("completion_opcode")) traffic.completion_opcode = reader.Text("completion_opcode");
  if (reader.Has("turn_ns")) {
    traffic.queue_turn = report::QueueTurn{.turn_ns = reader.Real("turn_ns", 0.0, kMostNs),
                                           .refill_ns = reader.Real("refill_ns", 0.0, kMostNs)};
  }
  reader.Done();
  return traffic;
}

json ArrivalsToJson(const report::Arrivals& arrivals) {
  return {{"duplicated", arrivals.duplicated},
          {"reordered", arrivals.reordered},
          {"furthest_behind", arrivals.furthest_behind},
          {"late", arrivals.late}};
}

report::Arrivals ArrivalsFromJson(JsonReader reader) {
  report::Arrivals arrivals;
  arrivals.duplicated = reader.Number("duplicated", 0, kMost);
  arrivals.reordered = reader.Number("reordered", 0, kMost);
  arrivals.furthest_behind = reader.Number("furthest_behind", 0, kMost);
  arrivals.late = reader.Number("late", 0, kMost);
  reader.Done();
  return arrivals;
}

json RoundTripsToJson(const RoundTrips& trips) {
  json buckets = json::array();
  json counts = json::array();
  for (const auto& [bucket, count] : trips.histogram.Entries()) {
    buckets.push_back(bucket);
    counts.push_back(count);
  }
  const report::Histogram::Totals& totals = trips.histogram.totals();
  return {{"buckets", std::move(buckets)},
          {"counts", std::move(counts)},
          {"sum_ticks", totals.sum},
          {"squares_low", static_cast<std::uint64_t>(totals.squares)},
          {"squares_high", static_cast<std::uint64_t>(totals.squares >> 64)},
          {"min_ticks", totals.min},
          {"max_ticks", totals.max},
          {"ns_per_tick", trips.ns_per_tick},
          {"lost", trips.lost}};
}

RoundTrips RoundTripsFromJson(JsonReader reader) {
  const std::vector<std::uint64_t> buckets =
      reader.Numbers("buckets", 0, kMostBuckets, kMostBuckets);
  const std::vector<std::uint64_t> counts = reader.Numbers("counts", 1, kMost, kMostBuckets);
  report::Histogram::Totals totals;
  totals.sum = reader.Number("sum_ticks", 0, kMost);
  // JSON has no numbers of 128 bits.
  totals.squares = report::Histogram::Wide{reader.Number("squares_high", 0, kMost)} << 64;
  totals.squares |= reader.Number("squares_low", 0, kMost);
  totals.min = reader.Number("min_ticks", 0, kMost);
  totals.max = reader.Number("max_ticks", 0, kMost);
  RoundTrips trips;
  trips.ns_per_tick = reader.Real("ns_per_tick", 1e-6, 1e6);
  trips.lost = reader.Number("lost", 0, kMost);
  reader.Done();
  std::vector<report::Histogram::Entry> entries;
  for (std::size_t i = 0; i < buckets.size() && i < counts.size(); ++i) {
    entries.emplace_back(static_cast<std::uint32_t>(buckets[i]), counts[i]);
  }
  if (buckets.size() != counts.size() ||
      !report::Histogram::FromEntries(entries, totals, trips.histogram)) {
    throw Error(Blame::kRun, reader.path() + " is no histogram");
  }
  return trips;
}

json OpenRunToJson(const OpenRun& run) {
  return {{"planned", run.planned},
          {"offered_messages_per_second", run.offered_messages_per_second},
          {"backlog_max", run.backlog_max},
          {"backlog_end", run.backlog_end},
          {"service", RoundTripsToJson(run.service)}};
}

OpenRun OpenRunFromJson(JsonReader reader) {
  OpenRun run;
  run.planned = reader.Number("planned", 0, kMost);
  run.offered_messages_per_second =
      reader.Real("offered_messages_per_second", 0.0, kMostMessagesPerSecond);
  run.backlog_max = reader.Number("backlog_max", 0, kMost);
  run.backlog_end = reader.Number("backlog_end", 0, kMost);
  run.service = RoundTripsFromJson(reader.Object("service"));
  reader.Done();
  return run;
}

json MemoryToJson(const report::Memory& memory) {
  json object = {{"kind", memory.kind}, {"registration", memory.registration}};
  if (memory.page_bytes) object["page_bytes"] = *memory.page_bytes;
  return object;
}

report::Memory MemoryFromJson(JsonReader reader) {
  report::Memory memory;
  memory.kind = reader.Text("kind");
  if (memory.kind.empty()) throw Error(Blame::kRun, reader.path() + ".kind is empty");
  memory.registration = reader.Text("registration", kLongestWays);
  if (reader.Has("page_bytes")) memory.page_bytes = reader.Number("page_bytes", 1, kMost);
  reader.Done();
  return memory;
}

// All that is known of the warm-up and of the end.
void PutEnds(const SideRun& run, json& object) {
  if (run.warmup_steady) object["warmup_steady"] = *run.warmup_steady;
  if (!run.until) return;
  object["until_reached"] = run.until->reached;
  if (!run.until->half_width_percent) return;
  object["until_half_width_percent"] = *run.until->half_width_percent;
}

void ReadEnds(JsonReader& reader, SideRun& run) {
  if (reader.Has("warmup_steady")) run.warmup_steady = reader.Flag("warmup_steady");
  if (!reader.Has("until_reached")) return;
  run.until.emplace();
  run.until->reached = reader.Flag("until_reached");
  if (!reader.Has("until_half_width_percent")) return;
  run.until->half_width_percent = reader.Real("until_half_width_percent", 0.0, kMostPercent);
}

// Of several devices.
void ReadRails(JsonReader& reader, std::size_t rails, SideRun& run) {
  if (rails == 1) return;
  for (JsonReader& rail : reader.Objects("rails", rails)) {
    run.rails.push_back(RailRunFromJson(std::move(rail)));
  }
  if (run.rails.size() == rails) return;
  throw Error(Blame::kRun, reader.path() + ".rails are not one a device");
}

}  // namespace

json SideRunToJson(const SideRun& run) {
  json object = {{"complete", run.complete},
                 {"warmup_messages", run.warmup_messages},
                 {"warmup_seconds", run.warmup_seconds},
                 {"sent_opened_ns", run.sent_opened_ns},
                 {"received_opened_ns", run.received_opened_ns},
                 {"inline_bytes", run.inline_bytes},
                 {"inline_used", run.inline_used},
                 {"whereabouts", WhereaboutsToJson(run.whereabouts)},
                 {"warnings", run.warnings}};
  if (run.memory) object["memory"] = MemoryToJson(*run.memory);
  if (run.sent) object["sent"] = TrafficToJson(*run.sent);
  if (run.received) object["received"] = TrafficToJson(*run.received);
  if (run.arrivals) object["arrivals"] = ArrivalsToJson(*run.arrivals);
  if (run.clock_drift_ppm) object["clock_drift_ppm"] = *run.clock_drift_ppm;
  if (run.round_trips) object["round_trips"] = RoundTripsToJson(*run.round_trips);
  if (run.open_loop) object["open_loop"] = OpenRunToJson(*run.open_loop);
  if (run.arrival_seed) object["arrival_seed"] = *run.arrival_seed;
  if (run.cpu) object["cpu"] = CpuCostToJson(*run.cpu);
  PutEnds(run, object);
  if (run.verification) object["verification"] = VerificationToJson(*run.verification);
  PutCounters(run.counters, object);
  if (!run.rails.empty()) {
    json& rails = object["rails"] = json::array();
    for (const RailRun& rail : run.rails) rails.push_back(RailRunToJson(rail));
  }
  json seconds = json::array();
  json messages = json::array();
  for (const report::ProgressSample& sample : run.samples) {
    seconds.push_back(std::llround(sample.seconds * 1e9));
    messages.push_back(sample.messages);
  }
  object["sample_ns"] = std::move(seconds);
  object["sample_messages"] = std::move(messages);
  return object;
}

SideRun SideRunFromJson(const json& object, std::uint32_t queue_pairs, std::size_t rails) {
  JsonReader reader(object, "results");
  SideRun run;
  run.complete = reader.Flag("complete");
  run.warmup_messages = reader.Number("warmup_messages", 0, kMost);
  run.warmup_seconds = reader.Real("warmup_seconds", 0.0, kMostSeconds);
  run.sent_opened_ns = reader.Number("sent_opened_ns", 0, kLatestNs);
  run.received_opened_ns = reader.Number("received_opened_ns", 0, kLatestNs);
  ReadEnds(reader, run);
  if (reader.Has("memory")) run.memory = MemoryFromJson(reader.Object("memory"));
  run.inline_bytes =
      static_cast<std::uint32_t>(reader.Number("inline_bytes", 0, ~std::uint32_t{0}));
  run.inline_used = reader.Flag("inline_used");
  run.whereabouts = WhereaboutsFromJson(reader.Object("whereabouts"));
  run.warnings = reader.Texts("warnings", kMostWarnings, kLongestWarning);
  if (reader.Has("sent")) run.sent = TrafficFromJson(reader.Object("sent"), queue_pairs);
  if (reader.Has("received")) {
    run.received = TrafficFromJson(reader.Object("received"), queue_pairs);
  }
  if (reader.Has("arrivals")) run.arrivals = ArrivalsFromJson(reader.Object("arrivals"));
  if (reader.Has("clock_drift_ppm")) {
    run.clock_drift_ppm = reader.Real("clock_drift_ppm", -kMostDriftPpm, kMostDriftPpm);
  }
  if (reader.Has("round_trips")) run.round_trips = RoundTripsFromJson(reader.Object("round_trips"));
  if (reader.Has("open_loop")) run.open_loop = OpenRunFromJson(reader.Object("open_loop"));
  if (reader.Has("arrival_seed")) run.arrival_seed = reader.Number("arrival_seed", 0, kMost);
  if (reader.Has("cpu")) run.cpu = CpuCostFromJson(reader.Object("cpu"));
  if (reader.Has("verification")) {
    run.verification = VerificationFromJson(reader.Object("verification"), queue_pairs);
  }
  run.counters = ReadCounterDeltas(reader);
  ReadRails(reader, rails, run);
  const std::vector<std::uint64_t> ns = reader.Numbers("sample_ns", 0, kMostSampleNs, kMostSamples);
  const std::vector<std::uint64_t> messages =
      reader.Numbers("sample_messages", 0, kMost, kMostSamples);
  reader.Done();
  CheckPairs(ns.size(), messages.size(), reader.path());
  for (std::size_t i = 0; i < ns.size(); ++i) {
    run.samples.push_back({static_cast<double>(ns[i]) * 1e-9, messages[i]});
  }
  return run;
}

}  // namespace rdmabench
