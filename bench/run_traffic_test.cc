// What becomes of messages in a run: lost ones, many, paced ones, few receive requests; and what
// reaches the queue pairs that carry them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "bench/run_fixture.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using testing::SizeIs;

class RunTraffic : public RunFixture {
 protected:
  // Without warm-up, whose messages would be counted by the fake, too.
  static Plan PlanOf(std::string test, std::string qp_type, std::uint64_t iterations) {
    Plan plan = RunFixture::PlanOf(std::move(test), {64}, iterations);
    plan.tests[0].queue.qp_type = std::move(qp_type);
    plan.tests[0].run.warmup_ms = 0;
    return plan;
  }

  report::Result Measure(const Plan& plan) {
    const Ending ending = Run(plan);
    EXPECT_FALSE(ending.client) << ending.client->what();
    EXPECT_FALSE(ending.server) << ending.server->what();
    EXPECT_FALSE(fake::AnyOverrun());
    const bool has_one = ending.report.results.size() == 1 && ending.report.results[0].complete;
    EXPECT_TRUE(has_one);
    return has_one ? ending.report.results[0] : report::Result{.traffic = {{}}};
  }
};

TEST_F(RunTraffic, OfAHundredThousandSendsIsCountedExactlyOnBothSides) {
  constexpr std::uint64_t kMessages = 100'000;
  const report::Result result = Measure(PlanOf("send_bw", "rc", kMessages));
  EXPECT_EQ(result.traffic[0].sent.messages, kMessages);
  ASSERT_TRUE(result.traffic[0].received);
  EXPECT_EQ(result.traffic[0].received->messages, kMessages);
  EXPECT_EQ(result.traffic[0].received->bytes, kMessages * 64);
}

class LostMessage : public RunTraffic, public testing::WithParamInterface<const char*> {};

TEST_P(LostMessage, IsMissingWhereItIsReceivedAndHoldsNothingUp) {
  fake::Inject({.lose_at_message = 50});
  const report::Result result = Measure(PlanOf("send_bw", GetParam(), 1000));
  EXPECT_EQ(result.traffic[0].sent.messages, 1000U);
  ASSERT_TRUE(result.traffic[0].received);
  EXPECT_EQ(result.traffic[0].received->messages, 999U);
  EXPECT_EQ(result.messages, 999U) << "the headline is what has arrived";
}

INSTANTIATE_TEST_SUITE_P(Types, LostMessage, testing::Values("uc", "ud"),
                         [](const auto& row) { return std::string(row.param); });

struct LostReplyCase {
  const char* test;
  const char* qp_type;
  std::uint64_t message;  // odd: on its way there; even: back
};
class LostReply : public RunTraffic, public testing::WithParamInterface<LostReplyCase> {};

TEST_P(LostReply, IsCountedAndHoldsNothingUp) {
  fake::Inject({.lose_at_message = GetParam().message});
  Plan plan = PlanOf(GetParam().test, GetParam().qp_type, 20);
  plan.tests[0].run.reply_timeout_ms = 300;
  const report::Result result = Measure(plan);
  ASSERT_TRUE(result.latency);
  EXPECT_EQ(result.latency->lost_replies, 1U);
  EXPECT_EQ(result.latency->samples, 19U);
}

INSTANTIATE_TEST_SUITE_P(
    Ways, LostReply,
    testing::Values(LostReplyCase{"send_lat", "ud", 7}, LostReplyCase{"send_lat", "ud", 8},
                    LostReplyCase{"send_lat", "ud", 39}, LostReplyCase{"send_lat", "uc", 7},
                    LostReplyCase{"write_imm_lat", "uc", 8}, LostReplyCase{"write_lat", "uc", 7},
                    LostReplyCase{"write_lat", "uc", 8}, LostReplyCase{"write_lat", "uc", 39}),
    [](const auto& row) {
      return std::string(row.param.test) + "_" + row.param.qp_type + "_" +
             std::to_string(row.param.message);
    });

struct FewReceives {
  const char* qp_type;
  bool use_srq;
  std::uint32_t queue_pairs;
};
class Credit : public RunTraffic, public testing::WithParamInterface<FewReceives> {};

// On uc and ud a message without a receive request would be lost, and nobody told.
TEST_P(Credit, HoldsASenderBackSoThatNothingIsLost) {
  Plan plan = PlanOf("send_bw", GetParam().qp_type, 2000);
  QueueOptions& queue = plan.tests[0].queue;
  queue.use_srq = GetParam().use_srq;
  queue.queue_pairs = GetParam().queue_pairs;
  queue.recv_depth = 4;
  queue.recv_post_list = 2;
  plan.tests[0].run.warmup_ms = 20;
  const report::Result result = Measure(plan);
  EXPECT_EQ(result.traffic[0].sent.messages, 2000U * queue.queue_pairs);
  ASSERT_TRUE(result.traffic[0].received);
  EXPECT_EQ(result.traffic[0].received->messages, 2000U * queue.queue_pairs);
}

INSTANTIATE_TEST_SUITE_P(Shapes, Credit,
                         testing::Values(FewReceives{"rc", false, 1}, FewReceives{"rc", false, 4},
                                         FewReceives{"rc", true, 4}, FewReceives{"uc", true, 4},
                                         FewReceives{"ud", false, 4}, FewReceives{"ud", true, 1}));

TEST_F(RunTraffic, IsNotFasterThanItsRate) {
  Plan plan = PlanOf("write_bw", "rc", 200);
  plan.tests[0].run.rate.messages_per_second = 5000;
  const report::Result result = Measure(plan);
  EXPECT_EQ(result.messages, 200U);
  EXPECT_GE(result.window_seconds, 0.99 * 199 / 5000);
}

// The attributes of all queue pairs of both sides, seen while they run.
class RunAttributes : public RunTraffic {
 protected:
  std::vector<ibv_qp_attr> During(Plan plan) {
    std::vector<ibv_qp_attr> seen;
    plan.tests[0].run.iterations.reset();
    plan.tests[0].run.duration_ms = 300;
    observer_.progress_every = std::chrono::milliseconds(50);
    observer_.progress = [&seen](const Progress&) {
      if (!seen.empty()) return;
      for (const std::uint32_t qpn : fake::LiveQueuePairs()) {
        seen.push_back(fake::AttributesOf(qpn));
      }
    };
    Measure(plan);
    EXPECT_FALSE(seen.empty());
    return seen;
  }
};

TEST_F(RunAttributes, ReachTheQueuePairsOfBothSides) {
  fake::Reset({{.pkeys = 4}});
  Plan plan = PlanOf("write_bw", "rc", 0);
  plan.tests[0].queue.queue_pairs = 4;
  LinkOptions& link = plan.tests[0].link;
  link.mtu_bytes = 512;
  link.timeout = 17;
  link.retry_count = 4;
  link.rnr_retry = 2;
  link.service_level = 3;
  link.traffic_class = 104;
  link.flow_labels = {11, 22};
  link.hop_limit = 9;
  link.pkey_index = 2;
  const std::vector<ibv_qp_attr> seen = During(plan);
  ASSERT_THAT(seen, SizeIs(8));
  std::vector<std::uint32_t> labels;
  for (const ibv_qp_attr& attr : seen) {
    EXPECT_EQ(attr.path_mtu, IBV_MTU_512);
    EXPECT_EQ(attr.timeout, 17);
    EXPECT_EQ(attr.retry_cnt, 4);
    EXPECT_EQ(attr.rnr_retry, 2);
    EXPECT_EQ(attr.pkey_index, 2);
    EXPECT_EQ(attr.ah_attr.sl, 3);
    EXPECT_EQ(attr.ah_attr.grh.traffic_class, 104);
    EXPECT_EQ(attr.ah_attr.grh.hop_limit, 9);
    labels.push_back(attr.ah_attr.grh.flow_label);
  }
  EXPECT_THAT(labels, testing::ElementsAre(11, 22, 11, 22, 11, 22, 11, 22));
}

TEST_F(RunAttributes, HaveTheReadDepthThatWasAskedFor) {
  Plan plan = PlanOf("read_bw", "rc", 0);
  plan.tests[0].queue.read_depth = 3;
  for (const ibv_qp_attr& attr : During(plan)) {
    EXPECT_EQ(attr.max_rd_atomic, 3);
    EXPECT_EQ(attr.max_dest_rd_atomic, 3);
  }
}

TEST_F(RunAttributes, HaveTheReadDepthOfTheDevicesOtherwise) {
  Plan plan = PlanOf("fetch_add_lat", "rc", 0);
  plan.tests[0].run.message_bytes.clear();
  for (const ibv_qp_attr& attr : During(plan)) {
    EXPECT_EQ(attr.max_rd_atomic, 16);
  }
}

}  // namespace
}  // namespace rdmabench
