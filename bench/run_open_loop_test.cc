// Open loops through a whole run: both sides in one process, over fake verbs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "bench/run_fixture.h"
#include "report/percentile.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

constexpr double kRate = 4000;

class RunOpenLoop : public RunFixture {
 protected:
  static Plan PlanOf(std::string test, std::string qp_type, std::uint64_t iterations = 200) {
    Plan plan = RunFixture::PlanOf(std::move(test), {}, iterations);
    plan.tests[0].queue.qp_type = std::move(qp_type);
    plan.tests[0].run.rate.messages_per_second = kRate;
    return plan;
  }

  std::vector<report::Result> MeasureAll(const Plan& plan) {
    Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    EXPECT_FALSE(fake::AnyOverrun());
    slo_ = ending.report.slo;
    return std::move(ending.report.results);
  }
  report::Result Measure(const Plan& plan) {
    std::vector<report::Result> results = MeasureAll(plan);
    EXPECT_THAT(results, SizeIs(1));
    report::Result result = results.empty() ? report::Result{} : results[0];
    EXPECT_TRUE(result.complete);
    EXPECT_TRUE(result.latency);
    EXPECT_TRUE(result.open_loop);
    for (const report::Check& check : result.checks) {
      EXPECT_TRUE(check.ok) << check.name << ": " << check.text;
    }
    if (!result.latency) result.latency.emplace();
    if (!result.open_loop) result.open_loop.emplace();
    return result;
  }

  std::vector<report::Slo> slo_;
};

struct WayCase {
  const char* test;
  const char* qp_type;
};
class EachWay : public RunOpenLoop, public testing::WithParamInterface<WayCase> {};

TEST_P(EachWay, AnswersEachPlannedMessageAndCountsItFromItsPlannedTime) {
  const report::Result result = Measure(PlanOf(GetParam().test, GetParam().qp_type));
  const report::OpenLoop& open = *result.open_loop;
  EXPECT_EQ(result.messages, 200U);
  EXPECT_EQ(result.latency->samples, 200U);
  EXPECT_EQ(result.latency->basis, "round_trip");
  EXPECT_EQ(open.service.samples, 200U);
  EXPECT_EQ(open.planned_messages, 200U);
  EXPECT_GE(result.latency->mean_ns, open.service.mean_ns);
  EXPECT_GE(result.latency->max_ns, open.service.max_ns);
  EXPECT_NEAR(open.offered_messages_per_second, kRate, kRate * 1e-3);
  EXPECT_NEAR(open.achieved_messages_per_second * result.window_seconds, 200.0, 1e-6);
  EXPECT_GE(result.window_seconds, 199 / kRate * 0.999);
  EXPECT_EQ(open.arrival, "const");
  EXPECT_FALSE(open.seed);
}

TEST_P(EachWay, GoesWithSeveralThreadsAndQueuePairsFromTheServerAtRandom) {
  Plan plan = PlanOf(GetParam().test, GetParam().qp_type, 50);
  plan.tests[0].queue.queue_pairs = 5;
  plan.tests[0].queue.threads = 2;
  plan.tests[0].queue.reversed = true;
  plan.tests[0].run.arrival = "poisson";
  plan.tests[0].run.arrival_seed = 11;
  const report::Result result = Measure(plan);
  EXPECT_EQ(result.messages, 250U);
  EXPECT_EQ(result.from, 1U);
  EXPECT_EQ(result.open_loop->arrival, "poisson");
  EXPECT_EQ(result.open_loop->seed, 11U);
  // 250 gaps of an exponential: their mean has a standard error of 6 %.
  EXPECT_NEAR(result.open_loop->offered_messages_per_second, kRate, kRate * 0.3);
}

TEST_P(EachWay, SaysThatItIsSaturatedAtAnImpossibleRate) {
  Plan plan = PlanOf(GetParam().test, GetParam().qp_type);
  plan.tests[0].run.iterations.reset();
  plan.tests[0].run.duration_ms = 200;
  plan.tests[0].run.rate.messages_per_second = 1e10;
  const report::Result result = Measure(plan);
  const report::OpenLoop& open = *result.open_loop;
  EXPECT_TRUE(open.saturated);
  EXPECT_GT(open.backlog_end, 0U);
  EXPECT_GE(open.backlog_max, open.backlog_end);
  EXPECT_LT(open.achieved_messages_per_second, open.offered_messages_per_second);
  for (const report::Latency* latency : {&*result.latency, &open.service}) {
    ASSERT_EQ(latency->percentiles.size(), report::kDefaultPercents.size());
    for (const report::Percentile& percentile : latency->percentiles) {
      EXPECT_FALSE(percentile.ns || percentile.ci95) << percentile.percent;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Tests, EachWay,
    testing::Values(WayCase{"write_lat", "rc"}, WayCase{"write_lat", "uc"},
                    WayCase{"write_imm_lat", "rc"}, WayCase{"write_imm_lat", "uc"},
                    WayCase{"read_lat", "rc"}, WayCase{"send_lat", "rc"}, WayCase{"send_lat", "uc"},
                    WayCase{"send_lat", "ud"}, WayCase{"send_imm_lat", "ud"},
                    WayCase{"fetch_add_lat", "rc"}, WayCase{"cmp_swap_lat", "rc"}),
    [](const auto& row) { return std::string(row.param.test) + "_" + row.param.qp_type; });

struct LostCase {
  const char* test;
  const char* qp_type;
  std::uint64_t message;  // odd or even: some on their way there, others back
};
class LostInOpenLoop : public RunOpenLoop, public testing::WithParamInterface<LostCase> {};

TEST_P(LostInOpenLoop, IsCountedAndHoldsNothingUp) {
  fake::Inject({.lose_at_message = GetParam().message});
  Plan plan = PlanOf(GetParam().test, GetParam().qp_type, 100);
  plan.tests[0].run.warmup_ms = 0;
  plan.tests[0].run.reply_timeout_ms = 300;
  const report::Result result = Measure(plan);
  EXPECT_EQ(result.latency->lost_replies, 1U);
  EXPECT_EQ(result.latency->samples, 99U);
  EXPECT_EQ(result.open_loop->planned_messages, 100U);
}

TEST_P(LostInOpenLoop, IsNotMadeUpForByADuplicate) {
  fake::Inject({.duplicate_at_message = GetParam().message});
  Plan plan = PlanOf(GetParam().test, GetParam().qp_type, 100);
  plan.tests[0].run.warmup_ms = 0;
  const std::vector<report::Result> results = MeasureAll(plan);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].latency->lost_replies, 0U);
  EXPECT_EQ(results[0].latency->samples, 100U);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, LostInOpenLoop,
    testing::Values(LostCase{"send_lat", "ud", 7}, LostCase{"send_lat", "ud", 8},
                    LostCase{"send_lat", "ud", 199}, LostCase{"send_imm_lat", "ud", 8},
                    LostCase{"write_imm_lat", "uc", 7}, LostCase{"write_imm_lat", "uc", 8},
                    LostCase{"write_lat", "uc", 7}, LostCase{"write_lat", "uc", 8},
                    LostCase{"write_lat", "uc", 199}),
    [](const auto& row) {
      return std::string(row.param.test) + "_" + row.param.qp_type + "_" +
             std::to_string(row.param.message);
    });

TEST_F(RunOpenLoop, SleepsUntilEventsCome) {
  Plan plan = PlanOf("send_lat", "rc", 50);
  plan.tests[0].queue.events = true;
  EXPECT_EQ(Measure(plan).messages, 50U);
}

TEST_F(RunOpenLoop, GoesThroughSizesOverTheSameQueuePairs) {
  for (const char* type : {"rc", "uc"}) {
    Plan plan = PlanOf("write_lat", type, 50);
    plan.tests[0].run.message_bytes = {4096, 2, 70000};
    const std::vector<report::Result> results = MeasureAll(plan);
    ASSERT_THAT(results, SizeIs(3));
    for (const report::Result& result : results) EXPECT_EQ(result.messages, 50U);
  }
}

// Of counts that are no multiples of the chain the rest is posted by itself.
TEST_F(RunOpenLoop, TellsMessagesApartOverChainsOfReceiveRequests) {
  Plan plan = PlanOf("send_lat", "ud", 203);
  plan.tests[0].queue.send_depth = 8;
  plan.tests[0].queue.recv_depth = 40;
  plan.tests[0].queue.recv_post_list = 10;
  plan.tests[0].run.message_bytes = {2, 64, 2};
  const std::vector<report::Result> results = MeasureAll(plan);
  ASSERT_THAT(results, SizeIs(3));
  for (const report::Result& result : results) {
    EXPECT_EQ(result.latency->samples, 203U);
    EXPECT_EQ(result.latency->lost_replies, 0U);
  }
}

TEST_F(RunOpenLoop, HasOtherArrivalsInEachRunOfATest) {
  Plan plan = PlanOf("send_lat", "rc", 20);
  plan.tests[0].run.message_bytes = {2, 64};
  plan.tests[0].run.arrival = "poisson";
  const std::vector<report::Result> results = MeasureAll(plan);
  ASSERT_THAT(results, SizeIs(2));
  EXPECT_EQ(results[0].open_loop->seed, 1U);
  EXPECT_EQ(results[1].open_loop->seed, 2U);
}

TEST_F(RunOpenLoop, MeasuresARateSweepOverTheSameQueuePairs) {
  Plan plan = PlanOf("send_lat", "rc", 100);
  plan.tests[0].run.rate = {};
  plan.tests[0].run.rate_sweep = {2000, 4000, 8000};
  for (const bool reversed : {false, true}) {
    plan.tests[0].queue.reversed = reversed;
    std::vector<double> offered;
    for (const report::Result& result : MeasureAll(plan)) {
      offered.push_back(std::round(result.open_loop->offered_messages_per_second));
    }
    EXPECT_THAT(offered, ElementsAre(2000, 4000, 8000));
    EXPECT_THAT(slo_, SizeIs(0));
  }
}

TEST_F(RunOpenLoop, AnswersAnObjectiveForEachSize) {
  Plan plan = PlanOf("read_lat", "rc");
  RunOptions& run = plan.tests[0].run;
  run.rate = {};
  run.iterations.reset();
  run.duration_ms = 100;
  run.message_bytes = {8, 64};
  run.rate_sweep = {2000, 10'000'000'000};
  run.slo_percentile = 50;
  run.slo_ns = 3'600'000'000'000;
  EXPECT_THAT(MeasureAll(plan), SizeIs(4));
  ASSERT_THAT(slo_, SizeIs(2));
  for (const report::Slo& slo : slo_) {
    EXPECT_EQ(slo.probes, 2U);
    EXPECT_EQ(slo.highest_held_messages_per_second, 2000.0);
    EXPECT_EQ(slo.lowest_failed_messages_per_second, 1e10) << "that rate is saturated";
  }
  EXPECT_EQ(slo_[1].message_bytes, 64U);
  // Of the two probes of each size the first.
  EXPECT_EQ(slo_[0].highest_held_result, 0U);
  EXPECT_EQ(slo_[1].highest_held_result, 2U);
}

TEST_F(RunOpenLoop, SaysThatAnObjectiveIsNotHeldEvenAtTheLowestRate) {
  Plan plan = PlanOf("read_lat", "rc", 200);
  RunOptions& run = plan.tests[0].run;
  run.rate = {};
  run.slo_percentile = 50;
  run.slo_ns = 1;
  run.rate_sweep = {1000, 2000};
  EXPECT_THAT(MeasureAll(plan), SizeIs(1));
  ASSERT_THAT(slo_, SizeIs(1));
  EXPECT_FALSE(slo_[0].highest_held_messages_per_second || slo_[0].highest_held_result);
  EXPECT_EQ(slo_[0].lowest_failed_messages_per_second, 1000.0);
}

TEST_F(RunOpenLoop, IsTheSideOfARateThatPacesBandwidthAtRandom) {
  Plan plan = RunFixture::PlanOf("write_bw", {64}, 400);
  plan.tests[0].run.rate.messages_per_second = 8000;
  plan.tests[0].run.arrival = "poisson";
  plan.tests[0].run.arrival_seed = 5;
  const std::vector<report::Result> results = MeasureAll(plan);
  ASSERT_THAT(results, SizeIs(1));
  EXPECT_EQ(results[0].effective.arrival, "poisson");
  EXPECT_EQ(results[0].effective.arrival_seed, 5U);
  EXPECT_FALSE(results[0].open_loop);
  EXPECT_GE(results[0].window_seconds, 400 / 8000.0 * 0.7);
}

TEST_F(RunOpenLoop, NamesTheReceiveRequestsThatAreTooFew) {
  Plan plan = PlanOf("send_lat", "rc");
  plan.tests[0].queue.recv_depth = 64;
  const Ending ending = Run(plan);
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("128 messages under way"));
  EXPECT_THAT(ending.client->remedy(), HasSubstr("--rx-depth"));
}

}  // namespace
}  // namespace rdmabench
