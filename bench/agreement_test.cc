#include "bench/agreement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "transport/error.h"

namespace rdmabench {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::ThrowsMessage;

Gid MakeGid(int index, const char* text) {
  Gid gid;
  gid.index = index;
  gid.raw = ParseGid(text);
  return gid;
}

Offer RoceOffer(const char* ip) {
  return {.device = "mlx5_0",
          .link_layer = "ethernet",
          .active_mtu_bytes = 1024,
          .lid = 0,
          .needs_gid = true,
          .gids = {MakeGid(0, "fe80::1"), MakeGid(1, ip)},
          .max_queue_pairs = 1000,
          .max_depth = 4096,
          .max_read_depth = 16,
          .max_srq_depth = 2048,
          .atomics = true};
}

Offer InfiniBandOffer(std::uint16_t lid) {
  return {.device = "mlx5_2",
          .link_layer = "infiniband",
          .active_mtu_bytes = 4096,
          .lid = lid,
          .needs_gid = false,
          .gids = {MakeGid(0, "fe80::1")},
          .max_queue_pairs = 1000,
          .max_depth = 4096,
          .max_read_depth = 16,
          .max_srq_depth = 2048,
          .atomics = true};
}

Sides Roce() {
  return {.client = {RoceOffer("::ffff:10.0.0.2")},
          .server = {RoceOffer("::ffff:10.0.0.1")},
          .client_ip = "10.0.0.2",
          .server_ip = "10.0.0.1"};
}

TestPlan PlanOf(std::string name) {
  TestPlan test;
  test.test = std::move(name);
  return test;
}

TestPlan WriteBw() {
  TestPlan test = PlanOf("write_bw");
  test.run.message_bytes = {64, 1 << 20};
  return test;
}

TEST(Agree, PairsTheGidsOfTheSessionsAddresses) {
  const Agreement agreement = Agree(WriteBw(), Roce(), {});
  ASSERT_TRUE(agreement.paths[0].client_gid && agreement.paths[0].server_gid);
  EXPECT_EQ(agreement.paths[0].client_gid->index, 1);
  EXPECT_EQ(agreement.paths[0].server_gid->Text(), "::ffff:10.0.0.1");
}

TEST(Agree, TakesTheSmallerActiveMtu) {
  Sides sides = Roce();
  sides.client[0].active_mtu_bytes = 4096;
  EXPECT_EQ(Agree(WriteBw(), sides, {}).SmallestMtu(), 1024U);
}

TEST(Agree, RefusesAnMtuAboveTheActiveOneNamingAllThree) {
  TestPlan test = WriteBw();
  test.link.mtu_bytes = 4096;
  Sides sides = Roce();
  sides.server[0].active_mtu_bytes = 2048;
  EXPECT_THAT(
      [&] { Agree(test, sides, {}); },
      ThrowsMessage<Error>(AllOf(HasSubstr("--mtu 4096"), HasSubstr("1024"), HasSubstr("2048"))));
}

TEST(Agree, UsesLidsAloneWhereNoPortNeedsAGrh) {
  const Agreement agreement =
      Agree(WriteBw(), {{InfiniBandOffer(3)}, {InfiniBandOffer(4)}, "10.0.0.2", "10.0.0.1"}, {});
  EXPECT_FALSE(agreement.paths[0].client_gid || agreement.paths[0].server_gid);
  EXPECT_EQ(agreement.SmallestMtu(), 4096U);
}

TEST(Agree, UsesAGrhOnInfiniBandWhereOnePortRequiresIt) {
  Sides sides{{InfiniBandOffer(3)}, {InfiniBandOffer(4)}, "10.0.0.2", "10.0.0.1"};
  for (Offer* offer : {&sides.client[0], &sides.server[0]})
    offer->gids[0].type = GidType::kInfiniBand;
  sides.server[0].needs_gid = true;
  const Agreement agreement = Agree(WriteBw(), sides, {});
  EXPECT_TRUE(agreement.paths[0].client_gid && agreement.paths[0].server_gid);
}

TEST(Agree, RefusesPortsOfDifferentFabricsNamingBoth) {
  Sides sides = Roce();
  sides.client[0] = InfiniBandOffer(3);
  EXPECT_THAT([&] { Agree(WriteBw(), sides, {}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("infiniband"), HasSubstr("ethernet"))));
}

TEST(Agree, RefusesMoreQueuePairsThanADeviceHas) {
  TestPlan test = WriteBw();
  test.queue.queue_pairs = 1001;
  EXPECT_THAT([&] { Agree(test, Roce(), {}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("1001"), HasSubstr("1000"))));
}

TEST(Agree, RefusesWhatIsBeyondTheServersLimitsNamingBothNumbers) {
  TestPlan test = WriteBw();
  test.queue.queue_pairs = 20;
  EXPECT_THAT([&] { Agree(test, Roce(), {.queue_pairs = 10}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("allows 10"), HasSubstr("asked were 20"))));
  EXPECT_THROW(Agree(test, Roce(), {.memory_bytes = 4096}), Error);
  EXPECT_THROW(Agree(test, Roce(), {.duration_ms = 1000}), Error);
}

struct MemoryCase {
  const char* test;
  bool bidirectional;
  bool reversed;
  std::uint64_t mib;  // of the server's slots: 16 MiB for a stream, 1 for a message at a time
};

// What nobody names on the server is not allocated there, and counts for nothing.
TEST(Agree, CountsWhatTheServerAllocates) {
  const MemoryCase cases[] = {
      {"write_bw", false, false, 16}, {"write_bw", false, true, 16}, {"write_bw", true, false, 32},
      {"read_bw", false, false, 16},  {"read_bw", true, false, 32},  {"write_lat", false, false, 2},
      {"send_bw", false, true, 16},
  };
  for (const MemoryCase& c : cases) {
    TestPlan test = PlanOf(c.test);
    test.run.message_bytes = {1 << 20};
    test.queue.bidirectional = c.bidirectional;
    test.queue.reversed = c.reversed;
    const Agreement agreement = Agree(test, Roce(), {});
    const std::uint64_t slots = BytesOf(agreement, test, Role::kServer, 0).Sum();
    SCOPED_TRACE(std::string(c.test) + (c.bidirectional ? " both ways" : "") +
                 (c.reversed ? " reversed" : ""));
    constexpr std::uint64_t kRequests = 1 << 20;  // room for the requests themselves
    EXPECT_EQ(slots >> 20, c.mib);
    EXPECT_NO_THROW(Agree(test, Roce(), {.memory_bytes = slots + kRequests}));
    EXPECT_THROW(Agree(test, Roce(), {.memory_bytes = slots - 1}), Error);
  }
}

TEST(Agree, NamesTheOptionsOfBothSidesForEachLimit) {
  const auto remedy = [](const Limits& limits) {
    try {
      Agree(WriteBw(), Roce(), limits);
    } catch (const Error& error) {
      return error.remedy();
    }
    return std::string();
  };
  EXPECT_THAT(remedy({.memory_bytes = 4096}),
              AllOf(HasSubstr("--working-set"), HasSubstr("--limit-memory")));
  EXPECT_THAT(remedy({.queue_pairs = 0}), AllOf(HasSubstr("--qp"), HasSubstr("--limit-qp")));
  EXPECT_THAT(remedy({.duration_ms = 1}),
              AllOf(HasSubstr("--duration"), HasSubstr("--limit-duration")));
}

// A worker's memory is at least one page of its kind.
TEST(Agree, CountsTheWholePagesOfTheServersKindOfMemory) {
  TestPlan test = PlanOf("write_bw");
  test.run.message_bytes = {64};
  test.queue.queue_pairs = test.queue.threads = 4;
  const auto mib = [](std::uint64_t count) { return Limits{.memory_bytes = count << 20}; };
  EXPECT_NO_THROW(Agree(test, Roce(), mib(1)));
  test.memory.remote_kind = "huge2m";
  EXPECT_THROW(Agree(test, Roce(), mib(8)), Error);
  EXPECT_NO_THROW(Agree(test, Roce(), mib(9)));
  test.memory.remote_kind = "huge1g";
  EXPECT_THROW(Agree(test, Roce(), mib(4096)), Error);
  EXPECT_NO_THROW(Agree(test, Roce(), mib(4097)));
  // The client's own is no concern of the server.
  test.memory.kind = "huge1g";
  test.memory.remote_kind = "host";
  EXPECT_NO_THROW(Agree(test, Roce(), mib(1)));
}

TEST(Agree, CountsTheSamplesThatTheServerKeeps) {
  TestPlan test = PlanOf("read_lat");
  Sides sides = Roce();
  sides.keep_samples = 10'000'000;
  const Limits limits{.memory_bytes = std::uint64_t{64} << 20};
  EXPECT_NO_THROW(Agree(test, sides, limits));
  test.queue.reversed = true;
  EXPECT_THROW(Agree(test, sides, limits), Error);
  sides.keep_samples = 1000;
  EXPECT_NO_THROW(Agree(test, sides, limits));
}

TEST(Agreement, HasADepthAndMemoryForItsLargestNeed) {
  const Agreement agreement = Agree(WriteBw(), Roce(), {});
  EXPECT_EQ(agreement.Depth(), 128U);
  EXPECT_EQ(agreement.OwnBytes(1), std::uint64_t{16} << 20);
  EXPECT_EQ(agreement.ExposedBytes(WriteBw(), 1), std::uint64_t{16} << 20);
}

TEST(Agreement, ExposesNoMoreThanReceiveRequestsFillWhereNothingIsNamed) {
  TestPlan test = PlanOf("send_bw");
  test.run.message_bytes = {64};
  const Agreement agreement = Agree(test, Roce(), {});
  EXPECT_EQ(agreement.ExposedBytes(test, 2), 2U * agreement.receive.depth * 64U);
}

TEST(Agree, TakesTheSmallerReadDepthUnlessLessWasAskedFor) {
  Sides sides = Roce();
  sides.server[0].max_read_depth = 4;
  TestPlan test = PlanOf("read_bw");
  EXPECT_EQ(Agree(test, sides, {}).read_depth, 4U);
  test.queue.read_depth = 2;
  EXPECT_EQ(Agree(test, sides, {}).read_depth, 2U);
}

TEST(Agree, RefusesAReadDepthBeyondTheDevicesNamingBothNumbers) {
  TestPlan test = PlanOf("read_bw");
  test.queue.read_depth = 17;
  EXPECT_THAT([&] { Agree(test, Roce(), {}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("--outs 17"), HasSubstr("16"))));
}

// Devices of datagrams alone have none.
TEST(Agree, NeedsOutstandingReadsForReadsOnly) {
  Sides sides = Roce();
  sides.client[0].max_read_depth = 0;
  const Agreement agreement = Agree(WriteBw(), sides, {});
  EXPECT_NO_THROW(Verify(agreement, WriteBw(), sides.client));
  EXPECT_THAT([&] { Agree(PlanOf("read_bw"), sides, {}); },
              ThrowsMessage<Error>(HasSubstr("the client's device has no outstanding reads")));
}

TEST(Agree, RefusesWhatADeviceDoesNotHaveNamingTheSide) {
  Sides sides = Roce();
  sides.server[0].atomics = false;
  EXPECT_THAT([&] { Agree(PlanOf("fetch_add_bw"), sides, {}); },
              ThrowsMessage<Error>(HasSubstr("the server's device has no atomic operations")));
  sides.client[0].max_srq_depth = 0;
  TestPlan test = PlanOf("send_bw");
  test.queue.use_srq = true;
  EXPECT_THAT([&] { Agree(test, sides, {}); },
              ThrowsMessage<Error>(HasSubstr("the client's device has no shared receive queues")));
}

TEST(Agree, BoundsASharedReceiveQueueByItsOwnLimit) {
  Sides sides = Roce();
  sides.server[0].max_srq_depth = 100;
  TestPlan test = PlanOf("send_bw");
  test.queue.use_srq = true;
  EXPECT_EQ(Agree(test, sides, {}).receive.depth, 100U);
}

TEST(Agree, TakesGidsOfTheTypeAndFamilyThatWereAskedFor) {
  TestPlan test = WriteBw();
  test.link.ipv6 = true;
  EXPECT_EQ(Agree(test, Roce(), {}).paths[0].client_gid->index, 0);
  test.link.ipv6 = false;
  EXPECT_EQ(Agree(test, Roce(), {}).paths[0].client_gid->index, 1);
  Sides sides = Roce();
  sides.client[0].gids[0].type = sides.server[0].gids[0].type = GidType::kRoceV1;
  test.link.ipv6.reset();
  test.link.gid_type = "roce_v1";
  EXPECT_EQ(Agree(test, sides, {}).paths[0].server_gid->index, 0);
}

TEST(Agreement, ComesBackFromJsonAsItWas) {
  const json once = AgreementToJson(Agree(WriteBw(), Roce(), {}));
  EXPECT_EQ(AgreementToJson(AgreementFromJson(once, WriteBw())), once);
}

TestPlan Verified(std::optional<std::uint32_t> seed) {
  TestPlan test = WriteBw();
  test.run.verify = true;
  test.run.verify_seed = seed;
  return test;
}

TEST(Agreement, HasTheSeedOfVerifiedMessages) {
  EXPECT_FALSE(Agree(WriteBw(), Roce(), {}).verify_seed);
  EXPECT_EQ(Agree(Verified(7), Roce(), {}).verify_seed, 7U);
  const Agreement decided = Agree(Verified({}), Roce(), {});
  ASSERT_TRUE(decided.verify_seed);
  EXPECT_EQ(AgreementFromJson(AgreementToJson(decided), Verified({})).verify_seed,
            decided.verify_seed);
  EXPECT_NO_THROW(Verify(decided, Verified({}), Roce().client));
}

TEST(Agreement, WithAnotherSeedThanWasAskedForIsRefused) {
  const Agreement other = Agree(Verified(8), Roce(), {});
  EXPECT_THROW(Verify(other, Verified(7), Roce().client), Error);
  EXPECT_THROW(Verify(other, WriteBw(), Roce().client), Error);
  EXPECT_THROW(Verify(Agree(WriteBw(), Roce(), {}), Verified({}), Roce().client), Error);
}

// Slots that must not be shared count in full.
TEST(Agree, HoldsTheMemoryOfVerifiedMessagesAgainstTheLimit) {
  TestPlan test = Verified(7);
  test.run.message_bytes = {65536};
  test.queue.queue_pairs = 64;
  Limits limits;
  limits.memory_bytes = std::uint64_t{256} << 20;
  EXPECT_THAT([&] { Agree(test, Roce(), limits); },
              ThrowsMessage<Error>(HasSubstr("bytes of memory")));
  test.run.verify = false;
  test.run.verify_seed.reset();
  EXPECT_NO_THROW(Agree(test, Roce(), limits));
}

TEST(Agreement, HasTheSameShapesOnBothSides) {
  for (const char* name : {"write_bw", "send_bw", "read_lat"}) {
    const Agreement decided = Agree(PlanOf(name), Roce(), {});
    const Agreement read = AgreementFromJson(AgreementToJson(decided), PlanOf(name));
    EXPECT_EQ(read.shapes, decided.shapes) << name;
    EXPECT_EQ(read.receive, decided.receive) << name;
  }
}

TEST(Agreement, WithShapesOfItsOwnIsRefused) {
  json wire = AgreementToJson(Agree(WriteBw(), Roce(), {}));
  wire["shapes"] = json::array();
  EXPECT_THROW(AgreementFromJson(wire, WriteBw()), Error);
}

TEST(Agreement, WithoutRoomForThePlansShapesIsRefused) {
  TestPlan test = WriteBw();
  test.queue.send_depth = 64;
  json wire = AgreementToJson(Agree(test, Roce(), {}));
  wire["most_depth"] = 32;
  EXPECT_THROW(AgreementFromJson(wire, test), Error);
}

class Forged : public testing::Test {
 protected:
  void ExpectRefused() const { EXPECT_THROW(Verify(agreement_, WriteBw(), Roce().client), Error); }
  Agreement agreement_ = Agree(WriteBw(), Roce(), {});
};

TEST_F(Forged, IsNotWhatTheServerReallySays) {
  EXPECT_NO_THROW(Verify(agreement_, WriteBw(), Roce().client));
}
TEST_F(Forged, ADepthBeyondTheDevicesIsRefused) {
  agreement_.most_depth = 5000;
  ExpectRefused();
}
TEST_F(Forged, AReadDepthBeyondTheDevicesIsRefused) {
  agreement_.read_depth = 17;
  ExpectRefused();
}
TEST_F(Forged, AnMtuAboveTheActiveOneIsRefused) {
  agreement_.paths[0].mtu_bytes = 2048;
  ExpectRefused();
}
TEST_F(Forged, AnotherNumberOfDevicesIsRefused) {
  agreement_.paths.push_back(agreement_.paths[0]);
  ExpectRefused();
}
TEST_F(Forged, AGidThatWasNotOfferedIsRefused) {
  agreement_.paths[0].client_gid->index = 7;
  ExpectRefused();
}

TEST(Offer, ComesBackFromJsonAsItWas) {
  const std::vector<Offer> offers = {RoceOffer("::ffff:10.0.0.2"), InfiniBandOffer(3)};
  const json once = OffersToJson(offers);
  EXPECT_EQ(OffersToJson(OffersFromJson(once)), once);
  EXPECT_EQ(OffersFromJson(once)[1].device, "mlx5_2");
  EXPECT_THROW(OffersFromJson({{"devices", json::array()}}), Error);
}

}  // namespace
}  // namespace rdmabench
