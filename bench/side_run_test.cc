#include "bench/side_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::uint32_t kQueuePairs = 2;
constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();

report::Traffic FullTraffic() {
  report::Traffic traffic;
  traffic.messages = 300;
  traffic.bytes = kMost;
  traffic.window_seconds = 1.25;
  traffic.completion_opcode = "send";
  traffic.messages_per_queue_pair = {100, 200};
  traffic.queue_turn = report::QueueTurn{.turn_ns = 81920.5, .refill_ns = 12.25};
  return traffic;
}

SideRun FullRun() {
  SideRun run;
  run.complete = true;
  run.sent = run.received = FullTraffic();
  run.received->completion_opcode.reset();
  run.arrivals = {.duplicated = 1, .reordered = 2, .furthest_behind = 3, .late = kMost};
  run.round_trips.emplace();
  // The last has a square of more than 64 bits.
  for (const std::uint64_t ticks : std::vector<std::uint64_t>{7, 1000, 1000, kMost / 2}) {
    run.round_trips->histogram.Record(ticks);
  }
  run.round_trips->ns_per_tick = 0.4;
  run.round_trips->lost = 9;
  run.open_loop = OpenRun{.planned = 400,
                          .offered_messages_per_second = 1e10,
                          .backlog_max = kMost,
                          .backlog_end = 7,
                          .service = *run.round_trips};
  run.arrival_seed = kMost;
  run.samples = {{0.5, 10}, {1.0, 20}};
  run.counters = {{"tx_bytes", 12}, {"rx_bytes", -3}};
  run.cpu = report::CpuCost{.workers = report::CpuTime{1.5, 0.25},
                            .elapsed_seconds = 2.0,
                            .process = {1.75, 0.5},
                            .host_softirq_seconds = 0.125,
                            .events = {{"user_cycles", 12}, {"user_instructions", kMost}},
                            .why_no_events = "kernel_cycles: not permitted"};
  run.clock_drift_ppm = -1.5;
  run.verification = {.seed = 5,
                      .in_timed_loop = true,
                      .checked_messages = 300,
                      .bad_messages = 2,
                      .missing_messages = 1,
                      .first_bad = report::BadMessage{.queue_pair = 1,
                                                      .message = 77,
                                                      .offset_bytes = 8,
                                                      .expected_hex = "00ff",
                                                      .found_hex = "01ff",
                                                      .finding = "bit_flipped",
                                                      .found_message = 76}};
  run.warmup_messages = 1000;
  run.warmup_seconds = 0.25;
  run.warmup_steady = true;
  run.sent_opened_ns = 1'000'000'007;
  run.received_opened_ns = 1'000'000'011;
  run.until.emplace();
  run.until->half_width_percent = 1.5;
  run.inline_used = true;
  run.memory = report::Memory{
      .kind = "huge2m", .registration = "by its virtual address", .page_bytes = 2 << 20};
  return run;
}

void ExpectEqual(const report::Traffic& one, const report::Traffic& other) {
  EXPECT_EQ(one.messages, other.messages);
  EXPECT_EQ(one.bytes, other.bytes);
  EXPECT_EQ(one.window_seconds, other.window_seconds);
  EXPECT_EQ(one.completion_opcode, other.completion_opcode);
  EXPECT_EQ(one.messages_per_queue_pair, other.messages_per_queue_pair);
  ASSERT_EQ(one.queue_turn.has_value(), other.queue_turn.has_value());
  EXPECT_EQ(one.queue_turn->turn_ns, other.queue_turn->turn_ns);
  EXPECT_EQ(one.queue_turn->refill_ns, other.queue_turn->refill_ns);
}

// As it comes over the session: as text.
json OnTheWire(const SideRun& run) { return json::parse(SideRunToJson(run).dump()); }
SideRun Read(const json& object) { return SideRunFromJson(object, kQueuePairs); }

TEST(SideRun, ComesBackAsItWas) {
  const SideRun run = FullRun();
  const SideRun back = Read(OnTheWire(run));
  EXPECT_TRUE(back.complete);
  EXPECT_EQ(back.clock_drift_ppm, -1.5);
  EXPECT_EQ(back.warmup_messages, 1000U);
  EXPECT_EQ(back.warmup_seconds, 0.25);
  EXPECT_EQ(back.warmup_steady, true);
  EXPECT_EQ(back.memory.value_or(report::Memory()).kind, "huge2m");
  EXPECT_EQ(back.memory->registration, run.memory->registration);
  EXPECT_EQ(back.memory->page_bytes, run.memory->page_bytes);
  EXPECT_EQ(back.sent_opened_ns, run.sent_opened_ns);
  EXPECT_EQ(back.received_opened_ns, run.received_opened_ns);
  ASSERT_TRUE(back.until.has_value());
  EXPECT_FALSE(back.until->reached);
  EXPECT_EQ(back.until->half_width_percent, 1.5);
  EXPECT_TRUE(back.inline_used);
  EXPECT_EQ(back.counters, run.counters);
  EXPECT_EQ(back.arrivals, run.arrivals);
  ASSERT_TRUE(back.sent && back.received);
  ExpectEqual(*back.sent, *run.sent);
  ExpectEqual(*back.received, *run.received);
}

TEST(SideRun, BringsBackWhatWasFoundInMessages) {
  const std::optional<report::Verification> back = Read(OnTheWire(FullRun())).verification;
  ASSERT_TRUE(back && back->first_bad);
  EXPECT_EQ(back->seed, 5U);
  EXPECT_TRUE(back->in_timed_loop);
  EXPECT_EQ(back->checked_messages, 300U);
  EXPECT_EQ(back->bad_messages, 2U);
  EXPECT_EQ(back->missing_messages, 1U);
  EXPECT_EQ(back->first_bad->queue_pair, 1U);
  EXPECT_EQ(back->first_bad->message, 77U);
  EXPECT_EQ(back->first_bad->offset_bytes, 8U);
  EXPECT_EQ(back->first_bad->expected_hex, "00ff");
  EXPECT_EQ(back->first_bad->found_hex, "01ff");
  EXPECT_EQ(back->first_bad->finding, "bit_flipped");
  EXPECT_EQ(back->first_bad->found_message, 76U);
}

TEST(SideRun, WithABadMessageOfAQueuePairThatIsNoneIsRefused) {
  json wire = OnTheWire(FullRun());
  wire["verification"]["first_bad"]["queue_pair"] = kQueuePairs;
  EXPECT_THAT([&] { Read(wire); }, ThrowsMessage<Error>(HasSubstr("queue_pair")));
}

TEST(SideRun, BringsItsSamplesBackToTheNanosecond) {
  const SideRun back = Read(OnTheWire(FullRun()));
  ASSERT_EQ(back.samples.size(), 2U);
  EXPECT_NEAR(back.samples[0].seconds, 0.5, 1e-9);
  EXPECT_NEAR(back.samples[1].seconds, 1.0, 1e-9);
  EXPECT_EQ(back.samples[1].messages, 20U);
}

TEST(SideRun, RoundsItsSamplesToNanoseconds) {
  SideRun run;
  run.samples = {{std::nextafter(1.0, 0.0), 1}};
  EXPECT_EQ(SideRunToJson(run)["sample_ns"], json::array({1'000'000'000}));
}

TEST(SideRun, BringsItsRoundTripsBack) {
  const SideRun run = FullRun();
  const SideRun back = Read(OnTheWire(run));
  ASSERT_TRUE(back.round_trips.has_value());
  const report::Histogram& histogram = back.round_trips->histogram;
  EXPECT_EQ(histogram.Entries(), run.round_trips->histogram.Entries());
  EXPECT_TRUE(histogram.totals() == run.round_trips->histogram.totals());
  EXPECT_EQ(histogram.max(), kMost / 2);
  EXPECT_EQ(back.round_trips->ns_per_tick, 0.4);
  EXPECT_EQ(back.round_trips->lost, 9U);
}

TEST(SideRun, BringsItsOpenLoopBack) {
  const SideRun back = Read(OnTheWire(FullRun()));
  EXPECT_EQ(back.arrival_seed, kMost);
  ASSERT_TRUE(back.open_loop.has_value());
  EXPECT_EQ(back.open_loop->planned, 400U);
  EXPECT_EQ(back.open_loop->offered_messages_per_second, 1e10);
  EXPECT_EQ(back.open_loop->backlog_max, kMost);
  EXPECT_EQ(back.open_loop->backlog_end, 7U);
  EXPECT_EQ(back.open_loop->service.histogram.count(), 4U);
}

TEST(SideRun, BringsItsProcessorTimeBack) {
  const SideRun run = FullRun();
  const SideRun back = Read(OnTheWire(run));
  ASSERT_TRUE(back.cpu && back.cpu->workers);
  EXPECT_EQ(back.cpu->workers->user_seconds, 1.5);
  EXPECT_EQ(back.cpu->workers->system_seconds, 0.25);
  EXPECT_EQ(back.cpu->elapsed_seconds, 2.0);
  EXPECT_EQ(back.cpu->process.user_seconds, 1.75);
  EXPECT_EQ(back.cpu->process.system_seconds, 0.5);
  EXPECT_EQ(back.cpu->host_softirq_seconds, 0.125);
  EXPECT_EQ(back.cpu->events, run.cpu->events);
  EXPECT_EQ(back.cpu->why_no_events, run.cpu->why_no_events);
}

TEST(SideRun, LeavesOutWhatTheSideDidNotDo) {
  const json object = OnTheWire(SideRun{});
  EXPECT_FALSE(object.contains("sent"));
  EXPECT_FALSE(object.contains("received"));
  EXPECT_FALSE(object.contains("arrivals"));
  EXPECT_FALSE(object.contains("round_trips"));
  const SideRun back = Read(object);
  EXPECT_FALSE(back.sent || back.received || back.arrivals || back.round_trips || back.cpu);
}

TEST(SideRun, BringsRoundTripsBackOfWhichNoneWasAnswered) {
  SideRun run;
  run.round_trips.emplace();
  run.round_trips->lost = 5;
  const SideRun back = Read(OnTheWire(run));
  ASSERT_TRUE(back.round_trips.has_value());
  EXPECT_EQ(back.round_trips->histogram.count(), 0U);
}

// A field of a good run that is replaced by something a good peer does not send.
struct Hostile {
  std::string name;
  std::string pointer;
  json value;
};

class HostileSideRun : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileSideRun, IsRefused) {
  json object = OnTheWire(FullRun());
  object[json::json_pointer(GetParam().pointer)] = GetParam().value;
  EXPECT_THROW(Read(object), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Fields, HostileSideRun,
    ::testing::Values(
        Hostile{"complete", "/complete", 1}, Hostile{"negative", "/sent/messages", -1},
        Hostile{"fraction", "/sent/messages", 1.5},
        Hostile{"more_than_64_bits", "/sent/bytes", 1e300},
        Hostile{"negative_window", "/sent/window_seconds", -1.0},
        Hostile{"endless_window", "/sent/window_seconds", 1e300},
        Hostile{"more_queue_pairs", "/sent/messages_per_queue_pair", {1, 2, 3}},
        Hostile{"escape_in_opcode", "/sent/completion_opcode", "\x1b[2J"},
        Hostile{"unknown_key", "/sent/other", 1}, Hostile{"no_object", "/received", 7},
        Hostile{"bucket_beyond_the_last", "/round_trips/buckets", {7, 1000, 56'320}},
        Hostile{"bucket_beyond_32_bits", "/round_trips/buckets", {7, 1000, (1ULL << 32) + 5}},
        Hostile{"fewer_counts_than_buckets", "/round_trips/counts", {1}},
        Hostile{"bucket_of_none", "/round_trips/counts", {1, 0, 1}},
        Hostile{"extremes_in_no_order", "/round_trips/min_ticks", kMost},
        Hostile{"squares_of_other_samples", "/round_trips/squares_high", 7},
        Hostile{"squares_of_less_than_the_mean", "/round_trips/squares_high", 0},
        Hostile{"negative_squares", "/round_trips/squares_low", -1},
        Hostile{"rate_of_zero", "/round_trips/ns_per_tick", 0.0},
        Hostile{"negative_duplicates", "/arrivals/duplicated", -1},
        Hostile{"arrivals_of_another_kind", "/arrivals/other", 1},
        Hostile{"lost_as_text", "/round_trips/lost", "9"},
        Hostile{"endless_rate", "/open_loop/offered_messages_per_second", 1e300},
        Hostile{"service_that_is_none", "/open_loop/service", json::object()},
        Hostile{"planned_as_text", "/open_loop/planned", "9"},
        Hostile{"seed_below_zero", "/arrival_seed", -1},
        Hostile{"negative_width", "/until_half_width_percent", -1.0},
        Hostile{"opened_as_text", "/sent_opened_ns", "1"},
        Hostile{"opened_beyond_all_time", "/received_opened_ns", kMost},
        Hostile{"sample_time", "/sample_ns", {-1}},
        Hostile{"sample_beyond_all_time", "/sample_ns", {0, kMost}},
        Hostile{"samples_as_object", "/sample_messages", json::object()},
        Hostile{"negative_processor_time", "/cpu/process/user_seconds", -1.0},
        Hostile{"endless_processor_time", "/cpu/workers/system_seconds", 1e300},
        Hostile{"no_time_around", "/cpu/elapsed_seconds", nullptr},
        Hostile{"softirqs_as_text", "/cpu/host_softirq_seconds", "1"},
        Hostile{"unknown_event", "/cpu/events/cache_misses", 1},
        Hostile{"fraction_of_a_cycle", "/cpu/events/user_cycles", 0.5},
        Hostile{"escape_in_the_reason", "/cpu/why_no_events", "\x1b[2J"},
        Hostile{"unknown_key_at_the_top", "/other", 1}),
    [](const auto& row) { return row.param.name; });

TEST(SideRun, BringsBackWhatEachOfSeveralDevicesCarried) {
  SideRun run = FullRun();
  run.rails = {{.sent_messages = 100, .received_messages = 0, .counters = {{"tx_bytes", 5}}},
               {.sent_messages = 200, .received_messages = kMost, .counters = {{"rx_bytes", -3}}}};
  const json wire = OnTheWire(run);
  EXPECT_EQ(SideRunFromJson(wire, kQueuePairs, 2).rails, run.rails);
  EXPECT_THROW(SideRunFromJson(wire, kQueuePairs, 3), Error) << "a device is missing";
  EXPECT_THROW(SideRunFromJson(wire, kQueuePairs, 1), Error) << "there is only one";
  json hostile = wire;
  hostile["rails"][1]["counter_moves"] = json::array();
  EXPECT_THAT([&] { SideRunFromJson(hostile, kQueuePairs, 2); },
              ThrowsMessage<Error>(HasSubstr("belong together")));
}

TEST(SideRun, RefusesEachFieldThatIsMissing) {
  const json whole = OnTheWire(FullRun());
  // A width without an end is an unknown key.
  const std::set<std::string> optional = {"sent",
                                          "received",
                                          "arrivals",
                                          "round_trips",
                                          "open_loop",
                                          "clock_drift_ppm",
                                          "arrival_seed",
                                          "cpu",
                                          "warmup_steady",
                                          "until_reached",
                                          "until_half_width_percent",
                                          "memory",
                                          "verification"};
  for (const auto& [key, value] : whole.items()) {
    if (optional.contains(key)) continue;
    json object = whole;
    object.erase(key);
    EXPECT_THAT([&] { Read(object); }, ThrowsMessage<Error>(HasSubstr(key)));
  }
}

}  // namespace
}  // namespace rdmabench
