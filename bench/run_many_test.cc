// Ten million messages of each kind over fake verbs: both ends count all of them.

#include <gtest/gtest.h>

#include "bench/op.h"
#include "bench/run_fixture.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

class RunMany : public RunFixture, public testing::WithParamInterface<Op> {};

TEST_P(RunMany, CountsTenMillionMessagesExactly) {
  constexpr std::uint64_t kMessages = 10'000'000;
  const Op& op = GetParam();
  Plan plan =
      PlanOf(std::string(op.name) + "_bw", {op.fixed_size != 0 ? op.fixed_size : 8U}, kMessages);
  const Ending ending = Run(plan);
  ASSERT_FALSE(ending.client) << ending.client->what();
  ASSERT_FALSE(ending.server) << ending.server->what();
  EXPECT_FALSE(fake::AnyOverrun());
  const report::Direction& direction = ending.report.results.at(0).traffic.at(0);
  EXPECT_EQ(direction.sent.messages, kMessages);
  ASSERT_EQ(direction.received.has_value(), op.TakesReceives());
  if (!direction.received) return;
  EXPECT_EQ(direction.received->messages, kMessages);
  EXPECT_EQ(direction.received->bytes, kMessages * 8);
}

INSTANTIATE_TEST_SUITE_P(Ops, RunMany, testing::ValuesIn(Ops().begin(), Ops().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace
}  // namespace rdmabench
