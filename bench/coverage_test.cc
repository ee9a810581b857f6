// How often our own intervals contain the truth, over many simulated runs of the engines. Seeded:
// the same on every machine.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>
#include <string>

#include "bench/op.h"
#include "bench/simulation.h"
#include "report/statistics.h"

namespace rdmabench {
namespace {

constexpr int kRuns = 1000;
constexpr double kMeanNs = 1e6;

// Service times of one message after the other on a wire that is always busy. What completes is a
// renewal process, so that the rate in the long run is one by the mean of the service times
// (elementary renewal theorem).
struct ServiceTimes {
  std::string name;
  std::function<double(std::mt19937_64&)> draw_ns;  // of the mean kMeanNs
};

double LogNormal(std::mt19937_64& random) {
  constexpr double kSigma = 1.0;
  return std::lognormal_distribution<>(std::log(kMeanNs) - kSigma * kSigma / 2, kSigma)(random);
}

double Gamma(std::mt19937_64& random) {
  constexpr double kShape = 0.5;
  return std::gamma_distribution<>(kShape, kMeanNs / kShape)(random);
}

double Exponential(std::mt19937_64& random) {
  return std::exponential_distribution<>(1 / kMeanNs)(random);
}

struct CoverageCase {
  ServiceTimes times;
  std::uint32_t signal_every;
  std::optional<std::uint64_t> duration_ns;
};

class Coverage : public testing::TestWithParam<CoverageCase> {};

TEST_P(Coverage, OfTheMeanBandwidthIsNinetyFivePercent) {
  constexpr std::uint64_t kMessages = 1500;
  std::mt19937_64 random(1);
  const auto service = [&random](std::uint64_t, std::uint64_t) {
    return fake::Service{.wire_ns = static_cast<std::uint64_t>(GetParam().times.draw_ns(random))};
  };
  Simulation simulation(
      {.op = &FindOp("write"),
       .shape = {.message_bytes = 64, .window = 4, .signal_every = GetParam().signal_every},
       .service = service,
       .longest_step_ns = 1'000'000'000,
       .duration_ns = GetParam().duration_ns});
  constexpr double kTruth = 64 * 1e9 / kMeanNs;
  int covered = 0;
  for (int run = 0; run < kRuns; ++run) {
    const JobRun done =
        simulation.Stream(GetParam().duration_ns ? std::uint64_t{1} << 40 : kMessages);
    const auto bandwidth = report::BandwidthOf(simulation.Measure(done));
    ASSERT_TRUE(bandwidth && bandwidth->spread);
    const report::Spread& spread = *bandwidth->spread;
    if (spread.ci95_low_bytes_per_second <= kTruth && kTruth <= spread.ci95_high_bytes_per_second) {
      ++covered;
    }
  }
  RecordProperty("covered", covered);
  EXPECT_GE(covered, 930);
  EXPECT_LE(covered, 970);
}

INSTANTIATE_TEST_SUITE_P(
    ServiceTimes, Coverage,
    testing::Values(CoverageCase{{"Exponential", Exponential}, 1, {}},
                    CoverageCase{{"ExponentialByDuration", Exponential}, 1, 1'500'000'000},
                    CoverageCase{{"LogNormal", LogNormal}, 1, {}},
                    CoverageCase{{"Gamma", Gamma}, 1, {}}),
    [](const auto& row) { return row.param.times.name; });

}  // namespace
}  // namespace rdmabench
