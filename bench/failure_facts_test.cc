#include "bench/failure_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/catalogue.h"

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

PathFacts LargePackets() {
  const Gid own{.index = 1, .raw = ParseGid("::ffff:10.0.0.2"), .netdev = "eth1"};
  const Gid peer{.index = 3, .raw = ParseGid("::ffff:10.0.0.1"), .netdev = ""};
  return {.device = "rxe0",
          .driver = "rdma_rxe",
          .netdev = "eth1",
          .own_gid = own,
          .peer_gid = peer,
          .mtu_bytes = 4096,
          .active_mtu_bytes = 4096,
          .netdev_mtu_bytes = 4200,
          .route_mtu_bytes = 1500,
          .moved = {{"ip_frag_fails", 12}, {"rcvd_pkts", 0}, {"sent_pkts", 40}, {"other", 7}}};
}

TEST(FailureFacts, HaveBothGidsWithIndexAndTypeAndEachMtu) {
  EXPECT_EQ(PathText(LargePackets()),
            "from GID 1 ::ffff:10.0.0.2 (roce_v2) of rxe0 to GID 3 ::ffff:10.0.0.1 (roce_v2), "
            "MTU 4096 (the port 4096, eth1 4200, the route 1500)");
}

TEST(FailureFacts, HaveTheCountersThatMovedAndThePacketsInAnyCase) {
  EXPECT_EQ(CountersText(LargePackets()),
            "rxe0 counted 12 ip_frag_fails (packets too large for the way out (IP FragFails)), "
            "0 rcvd_pkts, 40 sent_pkts");
  EXPECT_THAT(CountersText(PathFacts()), IsEmpty());
}

TEST(FailureFacts, NoticeAnMtuThatDoesNotFit) {
  PathFacts facts = LargePackets();
  EXPECT_EQ(MtuRemark(facts),
            "an MTU of 4096 makes packets of 4140 bytes, and the route to the peer's GID carries "
            "1500: take a smaller -m");
  facts.netdev_mtu_bytes = 1500;
  EXPECT_THAT(MtuRemark(facts), HasSubstr("and eth1 carries 1500"));
  facts.mtu_bytes = 1024;
  EXPECT_THAT(MtuRemark(facts), IsEmpty());
  facts.mtu_bytes = 4096;
  facts.netdev_mtu_bytes = facts.route_mtu_bytes = std::nullopt;
  EXPECT_THAT(MtuRemark(facts), IsEmpty()) << "what nobody knows is no remark";
}

TEST(FailureFacts, StandInErrorsOfTheFabricAndInNoOthers) {
  TestPlan test;
  Agreement agreement;
  agreement.paths.emplace_back();
  agreement.receive.depth = 16;
  const Error fabric = WithFacts(ErrorOf(RowOfSession("stalled"), Blame::kRun, "stalled"),
                                 {LargePackets()}, test, agreement);
  EXPECT_THAT(fabric.what(), AllOf(HasSubstr("GID 3"), HasSubstr("receive depth 16"),
                                   HasSubstr("12 ip_frag_fails")));
  EXPECT_THAT(fabric.remedy(), StartsWith("an MTU of 4096 makes packets of 4140 bytes"));
  const Error other = WithFacts(ErrorOf(RowOfSession("out_of_turn"), Blame::kRun, "x"),
                                {LargePackets()}, test, agreement);
  EXPECT_STREQ(other.what(), "x: the two sides are not at the same step");
}

}  // namespace
}  // namespace rdmabench
