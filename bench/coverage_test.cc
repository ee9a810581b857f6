// How often our own intervals contain the truth, over many simulated runs of the engines. Seeded:
// the same on every machine.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <ostream>
#include <random>
#include <string>

#include "bench/op.h"
#include "bench/simulation.h"
#include "report/histogram.h"
#include "report/latency.h"
#include "report/statistics.h"

namespace rdmabench {
namespace {

constexpr int kRuns = 1000;
constexpr double kMeanNs = 1e6;

// Service times, independent of one another.
struct Law {
  std::string name;
  double (*draw_ns)(std::mt19937_64& random);  // of the mean kMeanNs
  double p99_ns;
};

constexpr double kSigma = 1.0;
constexpr double kShape = 0.5;

double Exponential(std::mt19937_64& random) {
  return std::exponential_distribution<>(1 / kMeanNs)(random);
}
double LogNormal(std::mt19937_64& random) {
  return std::lognormal_distribution<>(std::log(kMeanNs) - kSigma * kSigma / 2, kSigma)(random);
}
double Gamma(std::mt19937_64& random) {
  return std::gamma_distribution<>(kShape, kMeanNs / kShape)(random);
}

// The quantile of the standard normal distribution, and of chi-square with one degree of freedom,
// which is gamma's of shape 1/2.
const Law kExponential{"Exponential", Exponential, kMeanNs* std::log(100.0)};
const Law kLogNormal{"LogNormal", LogNormal,
                     kMeanNs* std::exp(2.3263478740408408 * kSigma - kSigma * kSigma / 2)};
const Law kGamma{"Gamma", Gamma, kMeanNs * 6.6348966010212145};

// So many intervals of 95 % contain the truth in a thousand runs: each comes out 7 off at random.
void ExpectNinetyFivePercent(int covered) {
  EXPECT_GE(covered, 930);
  EXPECT_LE(covered, 970);
}

struct RateCase {
  Law law;
  std::string mode;
  std::optional<std::uint64_t> duration_ns;
  friend std::ostream& operator<<(std::ostream& out, const RateCase& row) {
    return out << row.law.name << row.mode;
  }
};

class RateCoverage : public testing::TestWithParam<RateCase> {};

// On a wire that is always busy what completes is a renewal process, so that the rate in the long
// run is one by the mean of the service times (the elementary renewal theorem).
TEST_P(RateCoverage, OfTheMeanBandwidthIsNinetyFivePercent) {
  constexpr std::uint64_t kBytes = 64;
  constexpr double kTruth = kBytes * 1e9 / kMeanNs;
  const std::optional<std::uint64_t> duration_ns = GetParam().duration_ns;
  const std::uint64_t messages = duration_ns ? std::uint64_t{1} << 40 : 1500;
  std::mt19937_64 random(1);
  Simulation simulation({.op = &FindOp("write"),
                         .shape = {.message_bytes = kBytes, .window = 4},
                         .service =
                             [&random](std::uint64_t, std::uint64_t) {
                               return fake::Service{.wire_ns = static_cast<std::uint64_t>(
                                                        GetParam().law.draw_ns(random))};
                             },
                         .longest_step_ns = 1'000'000'000,
                         .duration_ns = duration_ns});
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    const JobRun done = simulation.Stream(messages);
    const auto bandwidth = report::BandwidthOf(simulation.Measure(done));
    ASSERT_TRUE(bandwidth && bandwidth->spread);
    const report::Spread& spread = *bandwidth->spread;
    if (spread.ci95_low_bytes_per_second <= kTruth && kTruth <= spread.ci95_high_bytes_per_second) {
      ++covered;
    }
  }
  ExpectNinetyFivePercent(covered);
}

INSTANTIATE_TEST_SUITE_P(Laws, RateCoverage,
                         testing::Values(RateCase{kExponential, "", {}},
                                         RateCase{kExponential, "ByDuration", 1'500'000'000},
                                         RateCase{kLogNormal, "", {}}, RateCase{kGamma, "", {}}),
                         testing::PrintToStringParamName());

class LatencyCoverage : public testing::TestWithParam<Law> {};

TEST_P(LatencyCoverage, OfTheNinetyNinthPercentileIsNinetyFivePercent) {
  constexpr std::uint64_t kMessages = 1200;
  constexpr std::array kPercents = {99.0};
  std::mt19937_64 random(2);
  Simulation simulation({.op = &FindOp("read"),
                         .shape = {.message_bytes = 8, .window = 2, .one_slot = true},
                         .service =
                             [&random](std::uint64_t, std::uint64_t) {
                               return fake::Service{.flight_ns = static_cast<std::uint64_t>(
                                                        GetParam().draw_ns(random))};
                             },
                         .longest_step_ns = 1'000'000'000});
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    report::Histogram round_trips;
    simulation.Ping(kMessages, round_trips);
    const auto latency =
        report::LatencyOf(round_trips, 1.0, report::LatencyBasis::kRoundTrip, kPercents);
    ASSERT_TRUE(latency && latency->percentiles.at(0).ci95);
    const report::Percentile::Interval& interval = *latency->percentiles[0].ci95;
    if (interval.low_ns <= GetParam().p99_ns && GetParam().p99_ns <= interval.high_ns) ++covered;
  }
  ExpectNinetyFivePercent(covered);
}

INSTANTIATE_TEST_SUITE_P(Laws, LatencyCoverage, testing::Values(kExponential, kLogNormal, kGamma),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rdmabench
