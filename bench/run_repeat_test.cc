// How long and how often a whole run measures: repetitions, ends by a narrow interval, warm-ups
// until the rate is steady, and the window that two directions share.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/run_fixture.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class RunRepeat : public RunFixture {
 protected:
  static Plan Runs(std::uint32_t runs, std::vector<std::uint64_t> sizes,
                   std::optional<std::uint64_t> iterations) {
    Plan plan = PlanOf("write_bw", std::move(sizes), iterations);
    plan.tests[0].run.runs = runs;
    plan.tests[0].run.warmup_ms = 0;
    return plan;
  }

  static Plan Until(std::string test, double percent, std::uint64_t max_time_ms) {
    Plan plan = PlanOf(std::move(test), {64}, std::nullopt);
    plan.tests[0].run.until_ci_percent = percent;
    plan.tests[0].run.max_time_ms = max_time_ms;
    return plan;
  }

  static const report::Check* Find(const report::Result& result, const std::string& name) {
    const auto found = std::find_if(result.checks.begin(), result.checks.end(),
                                    [&](const report::Check& check) { return check.name == name; });
    return found == result.checks.end() ? nullptr : &*found;
  }

  report::Result Only(const Plan& plan) {
    const Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    return ending.report.results.empty() ? report::Result{} : ending.report.results.front();
  }
};

TEST_F(RunRepeat, MeasuresEverySizeInEveryRun) {
  const Ending ending = Run(Runs(3, {64, 128}, 100));
  ASSERT_FALSE(ending.client) << ending.client->what();
  ASSERT_FALSE(ending.server) << ending.server->what();
  std::vector<std::pair<std::uint32_t, std::uint64_t>> order;
  for (const report::Result& result : ending.report.results) {
    order.emplace_back(result.run.value_or(0), result.message_bytes);
    EXPECT_EQ(result.messages, 100U);
  }
  EXPECT_THAT(order, ElementsAre(std::pair(1, 64), std::pair(1, 128), std::pair(2, 64),
                                 std::pair(2, 128), std::pair(3, 64), std::pair(3, 128)));
}

TEST_F(RunRepeat, MakesNewQueuePairsForEachRun) {
  std::vector<std::vector<std::uint32_t>> seen;
  observer_.progress_every = std::chrono::milliseconds(30);
  observer_.progress = [&seen](const Progress& progress) {
    EXPECT_EQ(progress.results, 3U);
    if (progress.result == seen.size()) seen.push_back(fake::LiveQueuePairs());
  };
  Plan plan = Runs(3, {64}, std::nullopt);
  plan.tests[0].run.duration_ms = 200;
  ASSERT_FALSE(Run(plan).client);
  ASSERT_THAT(seen, SizeIs(3));
  std::set<std::uint32_t> numbers;
  for (const std::vector<std::uint32_t>& pairs : seen) {
    EXPECT_THAT(pairs, SizeIs(2)) << "one a side; those of the run before are gone";
    numbers.insert(pairs.begin(), pairs.end());
  }
  EXPECT_THAT(numbers, SizeIs(6));
}

TEST_F(RunRepeat, HasNoRunNumberWhereThereIsOneRun) {
  EXPECT_FALSE(Only(Runs(1, {64}, 100)).run.has_value());
}

TEST_F(RunRepeat, KeepsTheRunsBeforeOneThatFails) {
  fake::Faults faults;
  faults.error_at_message = 250;
  fake::Inject(faults);
  const Ending ending = Run(Runs(5, {64}, 100));
  ASSERT_TRUE(ending.client);
  ASSERT_THAT(ending.report.results, SizeIs(3));
  EXPECT_TRUE(ending.report.results[0].complete && ending.report.results[1].complete);
  EXPECT_FALSE(ending.report.results[2].complete);
  EXPECT_EQ(ending.report.results[2].run, 3U);
}

TEST_F(RunRepeat, KeepsTheRunsBeforeAnInterrupt) {
  observer_.progress_every = std::chrono::milliseconds(50);
  bool sent = false;
  observer_.progress = [&sent](const Progress& progress) {
    if (progress.result == 1 && !std::exchange(sent, true)) kill(getpid(), SIGINT);
  };
  Plan plan = Runs(1000, {64}, std::nullopt);
  plan.tests[0].run.duration_ms = 300;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_EQ(ending.client->blame(), Blame::kInterrupted);
  ASSERT_THAT(ending.report.results, SizeIs(2));
  EXPECT_TRUE(ending.report.results[0].complete);
  EXPECT_FALSE(ending.report.results[1].complete);
}

// Paced, so that the rate is even whatever else this machine does.
TEST_F(RunRepeat, UntilTheMeanIsKnownEndsARunEarly) {
  Plan plan = Until("write_bw", 10.0, 60'000);
  plan.tests[0].run.rate.messages_per_second = 20'000;
  const report::Result result = Only(plan);
  ASSERT_TRUE(result.until);
  EXPECT_TRUE(result.until->reached);
  EXPECT_LE(result.until->half_width_percent.value_or(100.0), 10.0);
  EXPECT_LT(result.window_seconds, 30.0);
  EXPECT_GE(result.window_seconds, 1.0) << "ten intervals of 100 ms";
  EXPECT_FALSE(result.effective.duration_seconds);
  ASSERT_NE(Find(result, "interval_is_narrow"), nullptr);
  EXPECT_TRUE(Find(result, "interval_is_narrow")->ok);
}

TEST_F(RunRepeat, UntilTheMeanIsKnownSaysWhenItIsNot) {
  const report::Result result = Only(Until("write_bw", 0.000001, 1300));
  ASSERT_TRUE(result.until);
  EXPECT_FALSE(result.until->reached);
  EXPECT_GE(result.window_seconds, 1.29);
  ASSERT_NE(Find(result, "interval_is_narrow"), nullptr);
  EXPECT_FALSE(Find(result, "interval_is_narrow")->ok);
}

TEST_F(RunRepeat, UntilTheMeanIsKnownIsDecidedByTheSideThatInitiates) {
  Plan plan = Until("write_bw", 0.000001, 200);
  plan.tests[0].queue.reversed = true;
  const report::Result result = Only(plan);
  ASSERT_TRUE(result.until);
  EXPECT_FALSE(result.until->half_width_percent) << "too short for ten intervals";
}

TEST_F(RunRepeat, UntilTheMeanIsKnownGoesForLatency) {
  const report::Result result = Only(Until("send_lat", 50.0, 60'000));
  ASSERT_TRUE(result.until && result.latency);
  EXPECT_LT(result.window_seconds, 60.0);
}

struct UntilBothCase {
  const char* test;
  const char* qp_type;
};
class UntilBoth : public RunRepeat, public testing::WithParamInterface<UntilBothCase> {};

TEST_P(UntilBoth, DirectionsEndTogether) {
  Plan plan = Until(GetParam().test, 20.0, 60'000);
  plan.tests[0].queue.qp_type = GetParam().qp_type;
  plan.tests[0].queue.bidirectional = true;
  plan.tests[0].run.rate.messages_per_second = 20'000;
  const report::Result result = Only(plan);
  ASSERT_THAT(result.traffic, SizeIs(2));
  EXPECT_LT(result.traffic[0].sent.window_seconds, 30.0);
  EXPECT_NEAR(result.traffic[0].sent.window_seconds, result.traffic[1].sent.window_seconds, 1.0);
}

INSTANTIATE_TEST_SUITE_P(Tests, UntilBoth,
                         testing::Values(UntilBothCase{"write_bw", "rc"},
                                         UntilBothCase{"send_bw", "rc"},
                                         UntilBothCase{"send_bw", "ud"}),
                         [](const auto& row) {
                           return std::string(row.param.test) + "_" + row.param.qp_type;
                         });

TEST_F(RunRepeat, AWarmUpTakesItsTimeAndTellsWhetherItGotSteady) {
  Plan plan = PlanOf("write_bw", {64}, 100);
  plan.tests[0].run.warmup_ms = 50;
  const report::Result result = Only(plan);
  EXPECT_GE(result.effective.warmup_seconds, 0.049);
  EXPECT_TRUE(result.effective.warmup_steady.has_value());
}

TEST_F(RunRepeat, AWarmUpEndsAtItsMost) {
  Plan plan = PlanOf("write_bw", {64}, 100);
  plan.tests[0].run.warmup_ms = 50;
  plan.tests[0].run.warmup_max_ms = 50;
  EXPECT_LT(Only(plan).effective.warmup_seconds, 5.0);
}

TEST_F(RunRepeat, WithoutAWarmUpThereIsNothingToSayOfIt) {
  const report::Result result = Only(Runs(1, {64}, 100));
  EXPECT_EQ(result.effective.warmup_messages, 0U);
  EXPECT_FALSE(result.effective.warmup_steady.has_value());
}

class SharedWindow : public RunRepeat, public testing::WithParamInterface<UntilBothCase> {};

// Both sides have one clock here, so that the offset is known to be none.
TEST_P(SharedWindow, IsWhatTheResultIsMadeOf) {
  Plan plan = PlanOf(GetParam().test, {64}, std::nullopt);
  plan.tests[0].queue.qp_type = GetParam().qp_type;
  plan.tests[0].queue.bidirectional = true;
  plan.tests[0].run.duration_ms = 2000;
  plan.tests[0].run.rate.messages_per_second = 20'000;
  const report::Result result = Only(plan);
  ASSERT_TRUE(result.clock_offset && result.shared_window && result.bandwidth);
  EXPECT_LE(std::abs(result.clock_offset->seconds), result.clock_offset->error_seconds + 1e-8);
  ASSERT_TRUE(result.shared_window->used);
  EXPECT_DOUBLE_EQ(result.window_seconds, result.shared_window->seconds);
  EXPECT_DOUBLE_EQ(result.bandwidth->messages_per_second,
                   static_cast<double>(result.messages) / result.window_seconds);
  std::uint64_t moved = 0;
  for (const report::Direction& direction : result.traffic) moved += direction.sent.messages;
  EXPECT_LE(result.messages, moved);
  EXPECT_EQ(result.bytes, result.messages * 64);
  const report::Check* check = Find(result, "directions_overlap");
  ASSERT_NE(check, nullptr);
  EXPECT_EQ(check->ok, result.shared_window->share >= 0.9);
}

INSTANTIATE_TEST_SUITE_P(
    Tests, SharedWindow,
    testing::Values(UntilBothCase{"write_bw", "rc"}, UntilBothCase{"write_bw", "uc"},
                    UntilBothCase{"read_bw", "rc"}, UntilBothCase{"send_bw", "rc"},
                    UntilBothCase{"send_bw", "uc"}, UntilBothCase{"send_bw", "ud"}),
    [](const auto& row) { return std::string(row.param.test) + "_" + row.param.qp_type; });

}  // namespace
}  // namespace rdmabench
