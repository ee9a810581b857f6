// What is reported, against what is true: service times that are known, and what theory makes of
// them in a closed loop and in an open one.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bench/checks.h"
#include "bench/mean_turn.h"
#include "bench/op.h"
#include "bench/simulation.h"
#include "bench/test_run.h"
#include "report/histogram.h"
#include "report/latency.h"
#include "report/percentile.h"
#include "report/statistics.h"

namespace rdmabench {
namespace {

constexpr double kTenthOfAPercent = 1e-3;
constexpr std::uint64_t kServiceNs = 10'000;
constexpr std::uint64_t kStallNs = 100'000'000;

using Service = std::function<fake::Service(std::uint64_t message, std::uint64_t bytes)>;

Service Constant(fake::Service service) {
  return [service](std::uint64_t, std::uint64_t) { return service; };
}

void ExpectWithin(double share, double measured, double truth) {
  EXPECT_NEAR(measured, truth, share * truth);
}

report::Latency LatencyOf(const std::string& op, const report::Histogram& round_trips,
                          const TickClock& clock) {
  TestPlan plan;
  plan.test = op + "_lat";
  return report::LatencyOf(round_trips, clock.NanosecondsPerTick(), BasisOf(plan),
                           report::kDefaultPercents)
      .value();
}

double PercentileOf(const report::Latency& latency, double percent) {
  return report::FindPercentile(latency, percent)->ns.value();
}

// One message under way on each queue pair.
struct ClosedLoop {
  ClosedLoop(const std::string& op, std::uint64_t messages, const Service& service,
             std::uint32_t queue_pairs = 1)
      : simulation({.op = &FindOp(op),
                    .shape = {.message_bytes = 8, .window = 2, .one_slot = true},
                    .queue_pairs = queue_pairs,
                    .service = service}),
        run(simulation.Ping(messages, round_trips)),
        latency(LatencyOf(op, round_trips, simulation.clock())) {}

  report::Histogram round_trips;
  Simulation simulation;
  JobRun run;
  report::Latency latency;
};

class EveryAnswer : public testing::TestWithParam<const char*> {};

TEST_P(EveryAnswer, OfAConstantServiceTimeShowsThatTimeInEveryFigure) {
  constexpr std::uint64_t kMessages = 20'000;
  const ClosedLoop loop(GetParam(), kMessages, Constant({.flight_ns = kServiceNs}));
  const report::Latency& latency = loop.latency;
  constexpr auto kTruth = static_cast<double>(kServiceNs);
  EXPECT_EQ(latency.samples, kMessages);
  EXPECT_EQ(latency.min_ns, kTruth);
  EXPECT_EQ(latency.max_ns, kTruth);
  EXPECT_EQ(latency.mean_ns, kTruth);
  for (const double percent : {50.0, 90.0, 99.0, 99.9}) {
    ExpectWithin(kTenthOfAPercent, PercentileOf(latency, percent), kTruth);
  }
  EXPECT_NEAR(latency.stdev_ns, 0.0, kTenthOfAPercent * kTruth);
}

INSTANTIATE_TEST_SUITE_P(Ops, EveryAnswer, testing::Values("read", "write", "send"));

TEST(ClosedLoopLatency, OfTwoModesShowsBothAndTheirMean) {
  constexpr std::uint64_t kMessages = 20'000;
  constexpr std::uint64_t kSlowNs = 50'000;
  const ClosedLoop loop("read", kMessages, [](std::uint64_t message, std::uint64_t) {
    return fake::Service{.flight_ns = message % 5 == 4 ? kSlowNs : kServiceNs};
  });
  const report::Latency& latency = loop.latency;
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 50.0), 10'000.0);
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 90.0), 50'000.0);
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 99.0), 50'000.0);
  EXPECT_EQ(latency.min_ns, 10'000.0);
  EXPECT_EQ(latency.max_ns, 50'000.0);
  EXPECT_DOUBLE_EQ(latency.mean_ns, 18'000.0);
  // Of a share p of slow ones: (slow - fast) · √(p · (1 - p)).
  ExpectWithin(2 * kTenthOfAPercent, latency.stdev_ns, 40'000.0 * std::sqrt(0.2 * 0.8));
}

// One message waits; those that would have been sent meanwhile are not sent, and have no sample.
TEST(ClosedLoopLatency, HidesAStallInItsPercentilesAndShowsItInItsMaximum) {
  constexpr std::uint64_t kMessages = 20'000;
  ClosedLoop loop("read", kMessages, [](std::uint64_t message, std::uint64_t) {
    return fake::Service{.flight_ns = message == kMessages / 2 ? kStallNs : kServiceNs};
  });
  const report::Latency& latency = loop.latency;
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 99.9), 10'000.0);
  EXPECT_EQ(latency.max_ns, static_cast<double>(kStallNs));
  // A third of the time went by in the stall.
  const double seconds = loop.simulation.Measure(loop.run).window_seconds;
  EXPECT_DOUBLE_EQ(seconds, (kMessages - 1) * 10e-6 + 0.1);
}

TEST(ClosedLoopLatency, OfSeveralQueuePairsIsThatOfOneWhereTheyShareNothing) {
  ClosedLoop loop("read", 1000, Constant({.flight_ns = kServiceNs}), 4);
  EXPECT_EQ(loop.latency.samples, 4000U);
  EXPECT_EQ(loop.latency.max_ns, 10'000.0);
  EXPECT_DOUBLE_EQ(loop.simulation.Measure(loop.run).window_seconds, 1000 * 10e-6);
}

// Messages at planned times, of which many may be under way.
struct OpenLoop {
  OpenLoop(std::uint64_t messages, std::uint64_t gap_ns, const Service& service,
           std::uint64_t longest_step_ns, bool at_random = false)
      : simulation({.op = &FindOp("read"),
                    .shape = {.message_bytes = 8, .window = 64},
                    .service = service,
                    .longest_step_ns = longest_step_ns}) {
    Bench bench = simulation.MakeBench();
    bench.round_trips = &response;
    bench.service_times = &service_times;
    Job job = simulation.MakeJob({.pings = true}, messages);
    job.open_loop = true;
    job.at_random = at_random;
    job.ticks_per_message = static_cast<double>(gap_ns);
    EXPECT_EQ(RunJob(bench, job).loop.outcome, Outcome::kDone);
    latency = LatencyOf("read", response, simulation.clock());
  }

  report::Histogram response;
  report::Histogram service_times;
  Simulation simulation;
  report::Latency latency;
};

// Those that are due in the stall are sent after it, and each has been late since its planned time.
TEST(OpenLoopLatency, ShowsTheSameStallInItsPercentiles) {
  constexpr std::uint64_t kMessages = 20'000;
  constexpr std::uint64_t kGapNs = 5 * kServiceNs;
  const auto stall = [](std::uint64_t message, std::uint64_t) {
    return fake::Service{.wire_ns = message == kMessages / 2 ? kStallNs : kServiceNs};
  };
  // Planned times are multiples of the longest step.
  const report::Latency latency = OpenLoop(kMessages, kGapNs, stall, kServiceNs).latency;
  // The wire is free again 100 ms after the stall began. Of the messages behind it the i-th was
  // planned i gaps later and completes i services after that: it is late by the stall, less i times
  // the difference, until nothing is left of that at the 2,500th. A percentile has so many messages
  // beyond it.
  const auto late = [](double i) {
    return static_cast<double>(kStallNs) - i * static_cast<double>(kGapNs - kServiceNs);
  };
  EXPECT_EQ(latency.samples, kMessages);
  EXPECT_EQ(latency.max_ns, late(0));
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 99.9), late(20));
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 99.0), late(200));
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 90.0), late(2000));
  ExpectWithin(kTenthOfAPercent, PercentileOf(latency, 50.0), static_cast<double>(kServiceNs));
}

class RandomArrivals : public testing::TestWithParam<double> {};

// M/D/1: Poisson arrivals, one wire, the same time for each message. By Pollaczek and Khinchine the
// mean wait for it is load / (2 · (1 - load)) services.
TEST_P(RandomArrivals, WaitAsLongAsQueueingTheorySays) {
  const double load = GetParam();
  constexpr std::uint64_t kMessages = 50'000;
  constexpr std::uint64_t kStepNs = kServiceNs / 20;
  const auto gap_ns = static_cast<std::uint64_t>(kServiceNs / load);
  const OpenLoop loop(kMessages, gap_ns, Constant({.wire_ns = kServiceNs}), kStepNs, true);
  EXPECT_EQ(loop.latency.samples, kMessages);
  ExpectWithin(0.05, loop.latency.mean_ns, kServiceNs * (1 + load / (2 * (1 - load))));
  // Nobody is faster than the wire.
  EXPECT_GE(loop.latency.min_ns, static_cast<double>(kServiceNs));
}

INSTANTIATE_TEST_SUITE_P(Loads, RandomArrivals, testing::Values(0.3, 0.6, 0.8));

struct StreamCase {
  std::string op;
  RingShape shape;
  std::uint32_t queue_pairs;
};

class EveryStream : public testing::TestWithParam<StreamCase> {
 protected:
  report::Bandwidth Run(std::uint64_t messages, fake::Service service) {
    const auto& [op, shape, queue_pairs] = GetParam();
    Simulation simulation({.op = &FindOp(op),
                           .shape = shape,
                           .queue_pairs = queue_pairs,
                           .service = [service](std::uint64_t, std::uint64_t bytes) {
                             // Credits are no load.
                             return bytes == GetParam().shape.message_bytes ? service
                                                                            : fake::Service{};
                           }});
    const JobRun run = simulation.Stream(messages);
    EXPECT_EQ(run.loop.outcome, Outcome::kDone);
    return report::BandwidthOf(simulation.Measure(run)).value();
  }
};

// Little's law: what is in flight is the rate times the time that it takes.
TEST_P(EveryStream, ReachesItsDepthByTheServiceTimeWhereTheWireIsIdle) {
  const report::Bandwidth bandwidth = Run(20'000, {.flight_ns = 100'000});
  const double in_flight = GetParam().shape.window * GetParam().queue_pairs;
  ExpectWithin(kTenthOfAPercent, bandwidth.messages_per_second, in_flight / 100e-6);
}

TEST_P(EveryStream, ReachesTheWiresBandwidthWhereItsDepthFillsThat) {
  constexpr std::uint64_t kMessages = 20'000;
  // A byte a nanosecond, which fewer than the depth of any case hide the way of.
  const report::Bandwidth bandwidth =
      Run(kMessages, {.wire_ns = GetParam().shape.message_bytes, .flight_ns = 10'000});
  ExpectWithin(kTenthOfAPercent, bandwidth.bytes_per_second, 1e9);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, EveryStream,
    testing::Values(StreamCase{"write", {.message_bytes = 4096, .window = 16}, 1},
                    StreamCase{"write", {4096, 16, 1, 4}, 4},
                    StreamCase{"write", {4096, 16, 4, 4}, 1},
                    StreamCase{"read", {.message_bytes = 4096, .window = 8}, 1},
                    StreamCase{"send", {4096, 16, 1, 4}, 2}));

// What the checks say of a run, with `messages` counted.
report::Check InFlight(Simulation& simulation, const JobRun& run, const RingShape& shape,
                       std::uint64_t messages) {
  report::Measurement measurement = simulation.Measure(run);
  measurement.messages = messages;
  report::Result result;
  result.test = "write_bw";
  result.qp_type = "rc";
  result.effective.send_depth = shape.window;
  result.queue_pairs = static_cast<std::uint32_t>(run.sent.per_queue_pair.size());
  result.bandwidth = report::BandwidthOf(measurement);
  report::Traffic& sent = result.traffic.emplace_back().sent;
  sent.messages = messages;
  sent.window_seconds = measurement.window_seconds;
  sent.queue_turn = MeanTurn({&run, 1}, shape.window, simulation.clock());
  for (const report::Check& check : ChecksOf({.result = result, .hosts = {}})) {
    if (check.name == "in_flight_is_the_depth") return check;
  }
  ADD_FAILURE() << "nothing is said of messages in flight";
  return {};
}

TEST_P(EveryStream, HasItsDepthInFlight) {
  const auto& [op, shape, queue_pairs] = GetParam();
  for (const fake::Service service : {fake::Service{.wire_ns = 0, .flight_ns = 100'000},
                                      fake::Service{.wire_ns = 4096, .flight_ns = 10'000}}) {
    Simulation simulation({.op = &FindOp(op),
                           .shape = shape,
                           .queue_pairs = queue_pairs,
                           .service = Constant(service)});
    const JobRun run = simulation.Stream(3200);
    const report::Check check = InFlight(simulation, run, shape, run.sent.messages);
    EXPECT_TRUE(check.ok);
    const double depth = shape.window * queue_pairs;
    ASSERT_EQ(check.figures.size(), 3U);
    EXPECT_EQ(check.figures[0].second, depth);
    ExpectWithin(0.02, check.figures[1].second, depth);
  }
}

TEST(MessagesInFlight, AreNotTheDepthWhereOneOfFewIsNotCounted) {
  const RingShape shape{.message_bytes = 8192, .window = 4};
  Simulation simulation({.op = &FindOp("write"),
                         .shape = shape,
                         .service = Constant({.wire_ns = 1000, .flight_ns = 1000})});
  const JobRun run = simulation.Stream(48);
  EXPECT_TRUE(InFlight(simulation, run, shape, 48).ok);
  EXPECT_FALSE(InFlight(simulation, run, shape, 47).ok);
  EXPECT_FALSE(InFlight(simulation, run, shape, 49).ok);
}

// Where the host is too slow to keep the queue full, that is no fault of the account.
TEST(MessagesInFlight, AreToldFromPlacesThatASlowHostFills) {
  const RingShape shape{.message_bytes = 8192, .window = 16, .signal_every = 4};
  Simulation simulation({.op = &FindOp("write"),
                         .shape = shape,
                         .service = Constant({.flight_ns = 20'000}),
                         .post_ns = 10'000});
  const JobRun run = simulation.Stream(16'000);
  const report::Check check = InFlight(simulation, run, shape, run.sent.messages);
  EXPECT_TRUE(check.ok);
  EXPECT_NEAR(check.figures[1].second + check.figures[2].second, 16.0, 0.02 * 16.0);
  EXPECT_GT(check.figures[2].second, 1.0);
}

TEST(StreamBandwidth, ShowsAStallInItsSlowestIntervalAndInItsMean) {
  constexpr std::uint64_t kMessages = 20'000;
  Simulation simulation({.op = &FindOp("write"),
                         .shape = {.message_bytes = 1000, .window = 16},
                         .service = [](std::uint64_t message, std::uint64_t) {
                           return fake::Service{.wire_ns = message == kMessages / 2 ? 4 * kStallNs
                                                                                    : 100'000};
                         }});
  const JobRun run = simulation.Stream(kMessages);
  const report::Bandwidth bandwidth = report::BandwidthOf(simulation.Measure(run)).value();
  ASSERT_TRUE(bandwidth.spread);
  EXPECT_EQ(bandwidth.spread->min_bytes_per_second, 0.0);
  ExpectWithin(0.02, bandwidth.spread->peak_bytes_per_second, 10e6);
  EXPECT_DOUBLE_EQ(bandwidth.bytes_per_second, kMessages * 1000 / ((kMessages - 1) * 100e-6 + 0.4));
}

}  // namespace
}  // namespace rdmabench
