#include "bench/duty.h"

#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "bench/op.h"

namespace rdmabench {
namespace {

struct Direction {
  bool bidirectional;
  bool reversed;
};

using Row = std::tuple<rdmabench::Test, Direction>;

std::string NameOf(const ::testing::TestParamInfo<Row>& row) {
  const auto& [test, direction] = row.param;
  return test.name + (direction.bidirectional ? "_both" : "_one") +
         (direction.reversed ? "_reversed" : "");
}

class EachDuty : public ::testing::TestWithParam<Row> {
 protected:
  // gtest's fixtures have a Test, too.
  const rdmabench::Test& test() const { return std::get<0>(GetParam()); }
  Duty Of(Role role) const {
    const Direction direction = std::get<1>(GetParam());
    QueueOptions queue;
    queue.bidirectional = direction.bidirectional;
    queue.reversed = direction.reversed;
    return DutyOf(test(), queue, role);
  }
  // The sides that initiate, by the meaning of the options.
  bool ShouldInitiate(Role role) const {
    const Direction direction = std::get<1>(GetParam());
    return direction.bidirectional || (role == Role::kServer) == direction.reversed;
  }
};

INSTANTIATE_TEST_SUITE_P(
    Tests, EachDuty,
    ::testing::Combine(::testing::ValuesIn(Tests().begin(), Tests().end()),
                       ::testing::Values(Direction{false, false}, Direction{false, true},
                                         Direction{true, false}, Direction{true, true})),
    NameOf);

TEST_P(EachDuty, InitiatesOnTheSideThatWasAskedFor) {
  for (const Role role : {Role::kClient, Role::kServer}) {
    EXPECT_EQ(Of(role).Initiates(), ShouldInitiate(role));
  }
}

TEST_P(EachDuty, InitiatesByItsMetric) {
  for (const Role role : {Role::kClient, Role::kServer}) {
    const Duty duty = Of(role);
    EXPECT_EQ(duty.streams, duty.Initiates() && test().metric == Metric::kBandwidth);
    EXPECT_EQ(duty.pings, duty.Initiates() && test().metric == Metric::kLatency);
  }
}

TEST_P(EachDuty, ListensWhereThePeerInitiatesAndSomethingHasToBeDoneForIt) {
  for (const Role role : {Role::kClient, Role::kServer}) {
    const Duty duty = Of(role);
    const bool is_bandwidth = test().metric == Metric::kBandwidth;
    const Reply reply = test().op->reply;
    const bool peer = ShouldInitiate(PeerOf(role));
    EXPECT_EQ(duty.sinks, peer && is_bandwidth && reply == Reply::kReceive);
    EXPECT_EQ(duty.echoes, peer && !is_bandwidth && reply != Reply::kCompletion);
    EXPECT_EQ(duty.Listens(), duty.sinks || duty.echoes);
  }
}

TEST_P(EachDuty, PostsWhereItInitiatesOrAnswersAndMovesWhereItDoesAnything) {
  for (const Role role : {Role::kClient, Role::kServer}) {
    const Duty duty = Of(role);
    EXPECT_EQ(duty.Posts(), duty.streams || duty.pings || duty.echoes);
    EXPECT_EQ(duty.Moves(), duty.streams || duty.pings || duty.echoes || duty.sinks);
  }
}

TEST_P(EachDuty, HasSomebodyInitiate) {
  EXPECT_TRUE(Of(Role::kClient).Initiates() || Of(Role::kServer).Initiates());
}

TEST(PeerOf, IsTheOtherSide) {
  EXPECT_EQ(PeerOf(Role::kClient), Role::kServer);
  EXPECT_EQ(PeerOf(Role::kServer), Role::kClient);
}

}  // namespace
}  // namespace rdmabench
