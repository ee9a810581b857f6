// Single latency samples of a whole run: what the client hands on of either side.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "bench/run_fixture.h"
#include "report/percentile.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

struct Shape {
  const char* name;
  const char* test;
  bool reversed;
  std::uint32_t queue_pairs;
  std::uint32_t threads;
  std::optional<double> rate = {};
};

class RunSamples : public RunFixture, public ::testing::WithParamInterface<Shape> {
 protected:
  static constexpr std::uint64_t kCount = 200;

  static Plan ThePlan() {
    Plan plan = PlanOf(GetParam().test, {2, 64}, kCount);
    plan.tests[0].queue.reversed = GetParam().reversed;
    plan.tests[0].queue.queue_pairs = GetParam().queue_pairs;
    plan.tests[0].queue.threads = GetParam().threads;
    plan.tests[0].run.rate.messages_per_second = GetParam().rate;
    return plan;
  }
  Ending RunKeeping() {
    observer_.samples = [this](const report::SampleBlock& block) { blocks_.push_back(block); };
    Ending ending = Run(ThePlan());
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    return ending;
  }

  std::vector<report::SampleBlock> blocks_;
};

// Others are of the machine that runs the test.
std::vector<std::string> WarningsOfSamples(const report::Report& report) {
  std::vector<std::string> warnings = report.warnings;
  std::erase_if(warnings, [](const std::string& text) {
    return text.find("--samples") == std::string::npos;
  });
  return warnings;
}

TEST_P(RunSamples, AreThoseThatTheReportIsMadeOf) {
  const report::Report report = RunKeeping().report;
  const std::uint64_t samples = kCount * GetParam().queue_pairs;
  ASSERT_THAT(report.results, SizeIs(2));
  ASSERT_THAT(blocks_, SizeIs(2));
  for (std::size_t i = 0; i < 2; ++i) {
    const report::Latency& latency = *report.results[i].latency;
    report::SampleBlock& block = blocks_[i];
    EXPECT_EQ(latency.kept_samples, samples);
    EXPECT_EQ(block.result, i);
    EXPECT_EQ(block.message_bytes, report.results[i].message_bytes);
    EXPECT_EQ(block.measured, samples);
    ASSERT_THAT(block.ns, SizeIs(samples));
    // Rounded to a nanosecond each.
    std::sort(block.ns.begin(), block.ns.end());
    EXPECT_NEAR(static_cast<double>(block.ns.front()), latency.min_ns, 0.51);
    EXPECT_NEAR(static_cast<double>(block.ns.back()), latency.max_ns, 0.51);
    const std::uint64_t sum = std::accumulate(block.ns.begin(), block.ns.end(), std::uint64_t{0});
    EXPECT_NEAR(static_cast<double>(sum) / static_cast<double>(samples), latency.mean_ns, 0.51);
    if (report.results[i].open_loop && report.results[i].open_loop->saturated) continue;
    const double median = report::FindPercentile(latency, 50)->ns.value();
    EXPECT_NEAR(static_cast<double>(block.ns[report::NearestRank(50, samples) - 1]), median,
                0.51 + median / 1000);
  }
  EXPECT_THAT(WarningsOfSamples(report), IsEmpty());
}

TEST_P(RunSamples, AreTheFirstOnesWhereThereIsNoRoomForAll) {
  observer_.most_samples = 80;
  const report::Report report = RunKeeping().report;
  ASSERT_THAT(blocks_, SizeIs(2));
  for (const report::SampleBlock& block : blocks_) {
    EXPECT_THAT(block.ns, SizeIs(80));
    EXPECT_EQ(block.measured, kCount * GetParam().queue_pairs);
  }
  EXPECT_EQ(report.results[1].latency->kept_samples, 80U);
  const std::vector<std::string> warnings = WarningsOfSamples(report);
  ASSERT_THAT(warnings, SizeIs(2));
  EXPECT_THAT(warnings[1],
              HasSubstr(std::string(GetParam().test) + " at 64 B: --samples has the first 80 of "));
}

TEST_P(RunSamples, AreNotKeptWithoutBeingAskedFor) {
  const Ending ending = Run(ThePlan());
  ASSERT_FALSE(ending.client) << ending.client->what();
  EXPECT_FALSE(ending.report.results[0].latency->kept_samples.has_value());
}

INSTANTIATE_TEST_SUITE_P(Shapes, RunSamples,
                         ::testing::Values(Shape{"read", "read_lat", false, 1, 1},
                                           Shape{"read_reversed", "read_lat", true, 1, 1},
                                           Shape{"send", "send_lat", false, 4, 2},
                                           Shape{"send_reversed", "send_lat", true, 4, 2},
                                           Shape{"at_a_rate", "send_lat", false, 2, 1, 4000.0}),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rdmabench
