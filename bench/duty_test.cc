#include "bench/duty.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
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

std::uint32_t RequestsOf(std::string_view test, Role role, const QueueOptions& queue = {}) {
  return OdpRequests(FindTest(test), queue, role);
}

TEST(OdpRequests, AreOfBothSidesWhereMemoryOfThePeerIsNamed) {
  for (const Role role : {Role::kClient, Role::kServer}) {
    EXPECT_EQ(RequestsOf("write_bw", role), IBV_ODP_SUPPORT_WRITE);
    EXPECT_EQ(RequestsOf("read_lat", role), IBV_ODP_SUPPORT_READ);
    EXPECT_EQ(RequestsOf("fetch_add_bw", role), IBV_ODP_SUPPORT_ATOMIC);
  }
}

TEST(OdpRequests, AreThoseThatASidePostsWhereMessagesAreReceived) {
  EXPECT_EQ(RequestsOf("send_bw", Role::kClient), IBV_ODP_SUPPORT_SEND);
  EXPECT_EQ(RequestsOf("send_bw", Role::kServer), IBV_ODP_SUPPORT_RECV);
  constexpr std::uint32_t kBoth =
      std::uint32_t{IBV_ODP_SUPPORT_SEND} | std::uint32_t{IBV_ODP_SUPPORT_RECV};
  EXPECT_EQ(RequestsOf("send_lat", Role::kClient), kBoth);
  EXPECT_EQ(RequestsOf("send_lat", Role::kServer), kBoth);
  QueueOptions shared;
  shared.use_srq = true;
  EXPECT_EQ(RequestsOf("send_bw", Role::kServer, shared), IBV_ODP_SUPPORT_SRQ_RECV);
}

}  // namespace
}  // namespace rdmabench
