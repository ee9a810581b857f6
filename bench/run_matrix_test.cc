// Every legal test over every queue pair type in every shape, both sides over fake verbs: the
// counts, opcodes and directions that have to come out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "bench/run_fixture.h"
#include "bench/test.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr std::uint64_t kCount = 64;  // of each queue pair

struct Shape {
  std::string_view name;
  void (*ask)(TestPlan&);
};

constexpr Shape kShapes[] = {
    {"plain", [](TestPlan&) {}},
    {"bidirectional", [](TestPlan& plan) { plan.queue.bidirectional = true; }},
    {"reversed", [](TestPlan& plan) { plan.queue.reversed = true; }},
    {"threads",
     [](TestPlan& plan) {
       plan.queue.queue_pairs = 4;
       plan.queue.threads = 2;
     }},
    {"events", [](TestPlan& plan) { plan.queue.events = true; }},
    {"srq",
     [](TestPlan& plan) {
       plan.queue.use_srq = true;
       plan.queue.queue_pairs = plan.queue.threads = 2;
     }},
    {"shared_by_four",
     [](TestPlan& plan) {
       plan.queue.use_srq = true;
       plan.queue.queue_pairs = 4;
     }},
    {"post_list", [](TestPlan& plan) { plan.queue.post_list = 8; }},
    {"inline_off", [](TestPlan& plan) { plan.queue.inline_bytes = 0; }},
    {"no_warmup", [](TestPlan& plan) { plan.run.warmup_ms = 0; }},
    {"bidirectional_srq_lists",
     [](TestPlan& plan) {
       plan.queue.bidirectional = plan.queue.use_srq = true;
       plan.queue.queue_pairs = 3;
       plan.queue.threads = 2;
       plan.queue.post_list = 4;
     }},
};

struct Case {
  std::string name;
  TestPlan plan;
};

std::vector<std::uint64_t> SizesOf(const Op& op) {
  return op.fixed_size != 0 ? std::vector<std::uint64_t>{op.fixed_size}
                            : std::vector<std::uint64_t>{2, 1000};
}

bool IsValid(const TestPlan& plan) {
  try {
    Validate({.tests = {plan}});
    return true;
  } catch (const Error&) {
    return false;
  }
}

// What the rules of the plan refuse is no case; plan_test has those.
std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const rdmabench::Test& test : Tests()) {
    for (const QpType& type : QpTypes()) {
      for (const Shape& shape : kShapes) {
        TestPlan plan;
        plan.test = test.name;
        plan.queue.qp_type = type.name;
        plan.run.message_bytes = SizesOf(*test.op);
        plan.run.iterations = kCount;
        plan.run.warmup_ms = 2;
        shape.ask(plan);
        if (!IsLegal(*test.op, type) || !IsValid(plan)) continue;
        cases.push_back(
            {test.name + "_" + std::string(type.name) + "_" + std::string(shape.name), plan});
      }
    }
  }
  return cases;
}

class RunMatrix : public RunFixture, public testing::WithParamInterface<Case> {
 protected:
  const rdmabench::Test& test() const { return FindTest(plan().test); }
  const Op& op() const { return *test().op; }
  const TestPlan& plan() const { return GetParam().plan; }
  bool IsLatency() const { return test().metric == Metric::kLatency; }
  std::uint64_t Messages() const { return kCount * plan().queue.queue_pairs; }

  void CheckDirection(const report::Direction& direction, std::uint64_t message_bytes) const {
    EXPECT_EQ(direction.sent.messages, Messages());
    EXPECT_EQ(direction.sent.bytes, Messages() * message_bytes);
    EXPECT_EQ(direction.sent.completion_opcode, OpcodeName(op().sent));
    EXPECT_THAT(direction.sent.messages_per_queue_pair,
                AllOf(testing::SizeIs(plan().queue.queue_pairs), testing::Each(kCount)));
    ASSERT_EQ(direction.received.has_value(), op().TakesReceives());
    const bool loses = FindQpType(plan().queue.qp_type).loses && !IsLatency();
    ASSERT_EQ(direction.delivery.has_value(), loses);
    if (loses) {
      EXPECT_EQ(direction.delivery->lost.has_value(), op().TakesReceives());
      EXPECT_EQ(direction.delivery->lost.value_or(0), 0U);
      EXPECT_EQ(direction.delivery->arrivals.value_or(report::Arrivals{}), report::Arrivals{});
      EXPECT_TRUE(direction.delivery->arrivals || !op().immediate);
    }
    if (!direction.received) return;
    EXPECT_EQ(direction.received->messages, Messages());
    EXPECT_EQ(direction.received->bytes, Messages() * message_bytes);
    EXPECT_EQ(direction.received->completion_opcode, OpcodeName(op().received));
  }

  void CheckResult(const report::Result& result) const {
    SCOPED_TRACE(std::to_string(result.message_bytes) + " bytes");
    const std::uint64_t directions = plan().queue.bidirectional ? 2 : 1;
    EXPECT_TRUE(result.complete);
    // So short runs of two sides need not be under way together.
    if (directions == 2) {
      EXPECT_LE(result.messages, directions * Messages());
    } else {
      EXPECT_EQ(result.messages, Messages());
    }
    EXPECT_GT(result.window_seconds, 0.0);
    EXPECT_EQ(result.bandwidth.has_value(), !IsLatency());
    ASSERT_EQ(result.latency.has_value(), IsLatency());
    if (IsLatency()) {
      EXPECT_EQ(result.latency->samples, Messages());
      EXPECT_EQ(result.latency->lost_replies, 0U);
      EXPECT_EQ(result.latency->basis,
                op().reply == Reply::kCompletion ? "round_trip" : "half_round_trip");
    }
    EXPECT_GE(result.checks.size(), 2U);
    for (const report::Check& check : result.checks) {
      if (check.name == "directions_overlap") continue;
      EXPECT_TRUE(check.ok) << check.name << ": " << check.text;
    }
    ASSERT_EQ(result.traffic.size(), directions);
    const std::size_t first = plan().queue.reversed ? 1 : 0;
    EXPECT_EQ(result.from, first);
    EXPECT_EQ(result.to, 1 - first);
    for (std::size_t i = 0; i < directions; ++i) {
      EXPECT_EQ(result.traffic[i].from, directions == 2 ? i : first);
      EXPECT_EQ(result.traffic[i].to, 1 - result.traffic[i].from);
      CheckDirection(result.traffic[i], result.message_bytes);
    }
    const bool inlines =
        op().inline_ok && result.message_bytes == 2 && plan().queue.inline_bytes.value_or(2) > 0;
    EXPECT_EQ(result.effective.inline_used, inlines);
  }
};

TEST_P(RunMatrix, CountsEveryMessageAndNamesEveryCompletion) {
  const Ending ending = Run({.tests = {plan()}});
  ASSERT_FALSE(ending.client) << ending.client->what();
  ASSERT_FALSE(ending.server) << ending.server->what();
  ASSERT_EQ(ending.report.results.size(), plan().run.message_bytes.size());
  for (const report::Result& result : ending.report.results) CheckResult(result);
  EXPECT_FALSE(fake::AnyOverrun());
}

INSTANTIATE_TEST_SUITE_P(All, RunMatrix, testing::ValuesIn(Cases()),
                         [](const auto& row) { return row.param.name; });

TEST(IllegalPairs, AreRefusedByNamesOfBoth) {
  std::size_t pairs = 0;
  for (const rdmabench::Test& test : Tests()) {
    for (const QpType& type : QpTypes()) {
      if (IsLegal(*test.op, type)) continue;
      ++pairs;
      TestPlan plan;
      plan.test = test.name;
      plan.queue.qp_type = type.name;
      EXPECT_THAT([&] { Validate({.tests = {plan}}); },
                  ThrowsMessage<Error>(AllOf(HasSubstr(test.name), HasSubstr(type.name))));
    }
  }
  EXPECT_GT(pairs, 0U);
}

}  // namespace
}  // namespace rdmabench
