#include "transport/gid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

Gid MakeGid(int index, GidType type, std::string_view text) {
  return {.index = index, .type = type, .raw = ParseGid(text), .netdev = {}};
}

Gid V1(int index, std::string_view text) { return MakeGid(index, GidType::kRoceV1, text); }
Gid V2(int index, std::string_view text) { return MakeGid(index, GidType::kRoceV2, text); }

TEST(Gid, ShowsAMappedAddressAsIpv4) {
  EXPECT_EQ(V2(0, "0:0:0:0:0:ffff:c0a8:4d01").Text(), "::ffff:192.168.77.1");
}

TEST(Gid, ShowsIpv6InItsShortForm) {
  EXPECT_EQ(V2(0, "fe80:0:0:0:5054:ff:fe12:3456").Text(), "fe80::5054:ff:fe12:3456");
}

TEST(Gid, KnowsIpv4) {
  EXPECT_TRUE(V2(0, "::ffff:10.0.0.1").IsIpv4());
  EXPECT_FALSE(V2(0, "fd77::1").IsIpv4());
}

TEST(Gid, KnowsLinkLocalOfBothFamilies) {
  EXPECT_TRUE(V2(0, "fe80::1").IsLinkLocal());
  EXPECT_TRUE(V2(0, "::ffff:169.254.3.4").IsLinkLocal());
  EXPECT_FALSE(V2(0, "fd77::1").IsLinkLocal());
  EXPECT_FALSE(V2(0, "::ffff:10.0.0.1").IsLinkLocal());
}

TEST(Gid, KnowsTheEmptyEntry) {
  EXPECT_TRUE(V2(0, "::").IsZero());
  EXPECT_FALSE(V2(0, "::1").IsZero());
}

TEST(Gid, RefusesTextThatIsNone) {
  for (const char* text : {"", "10.0.0.1", "fe80::1%eth0", "fe80:::1", "::ffff:1.2.3.400"}) {
    EXPECT_THAT([&] { ParseGid(text); }, ThrowsMessage<Error>(HasSubstr("is not a GID"))) << text;
  }
}

TEST(Gid, FindsEveryTypeByItsName) {
  for (const GidType type : {GidType::kInfiniBand, GidType::kRoceV1, GidType::kRoceV2}) {
    EXPECT_EQ(FindGidType(GidTypeName(type)), type);
  }
  EXPECT_FALSE(FindGidType("roce"));
}

TEST(Gids, AreSearchedForAnAddressInEitherForm) {
  const std::vector<Gid> gids = {V2(0, "fe80::1"), V2(1, "::ffff:10.0.0.1")};
  EXPECT_TRUE(HaveAddress(gids, "10.0.0.1"));
  EXPECT_TRUE(HaveAddress(gids, "::ffff:10.0.0.1"));
  EXPECT_TRUE(HaveAddress(gids, "fe80::1%eth1"));
  EXPECT_FALSE(HaveAddress(gids, "10.0.0.2"));
  EXPECT_FALSE(HaveAddress(gids, "localhost"));
}

TEST(Gids, ShareASubnetWhereARoutableOneOfEachIsInIt) {
  const std::vector<Gid> one = {V2(0, "fe80::1"), V1(1, "::ffff:10.0.0.1"), V2(2, "fd77::1")};
  EXPECT_TRUE(ShareSubnet(one, std::vector<Gid>{V2(0, "fd77::2")}));
  EXPECT_TRUE(ShareSubnet(one, std::vector<Gid>{V1(0, "::ffff:10.0.0.2")}));
  EXPECT_FALSE(ShareSubnet(one, std::vector<Gid>{V2(0, "::ffff:10.0.0.2")})) << "another type";
  EXPECT_FALSE(ShareSubnet(one, std::vector<Gid>{V1(0, "::ffff:10.0.1.2")}));
  EXPECT_FALSE(ShareSubnet(one, std::vector<Gid>{V2(0, "fe80::2")})) << "link-local";
}

struct SubnetCase {
  const char* one;
  const char* other;
  std::optional<unsigned> prefix_bits;
  bool same;
};

TEST(Gids, AreInOneSubnetWhereTheirLeadingBitsAreEqual) {
  const SubnetCase cases[] = {
      {"::ffff:10.0.0.1", "::ffff:10.0.0.255", {}, true},
      {"::ffff:10.0.0.1", "::ffff:10.0.1.1", {}, false},
      {"::ffff:10.0.0.1", "::ffff:10.0.1.1", 16, true},
      {"::ffff:10.0.0.1", "::ffff:10.0.1.1", 23, true},
      {"::ffff:10.0.1.1", "::ffff:10.0.2.1", 23, false},
      {"::ffff:10.0.0.1", "::ffff:10.0.0.2", 32, false},
      {"::ffff:10.0.0.1", "::ffff:10.0.0.1", 32, true},
      {"::ffff:10.0.0.1", "::ffff:192.168.0.1", 0, true},
      {"fd77::1", "fd77::2", {}, true},
      {"fd77::1", "fd77:0:0:1::1", {}, false},
      {"fd77::1", "fd77:0:0:1::1", 48, true},
      {"fd77::1", "fd77::1", 999, true},
      {"::ffff:10.0.0.1", "fd77::1", 0, false},
  };
  for (const SubnetCase& c : cases) {
    EXPECT_EQ(SameSubnet(ParseGid(c.one), ParseGid(c.other), c.prefix_bits), c.same)
        << c.one << " and " << c.other << " /" << c.prefix_bits.value_or(0);
  }
}

struct PairCase {
  const char* name;
  std::vector<Gid> client;
  std::vector<Gid> server;
  const char* client_ip;
  const char* server_ip;
  int client_index;
  int server_index;
};

class GidPairs : public ::testing::TestWithParam<PairCase> {};

TEST_P(GidPairs, RanksHighest) {
  const PairCase& c = GetParam();
  const GidPair pair = ChooseGidPair(
      {.client = c.client, .server = c.server, .client_ip = c.client_ip, .server_ip = c.server_ip});
  EXPECT_EQ(pair.client.index, c.client_index);
  EXPECT_EQ(pair.server.index, c.server_index);
}

INSTANTIATE_TEST_SUITE_P(
    Table, GidPairs,
    ::testing::Values(PairCase{"routable_before_link_local",
                               {V2(0, "fe80::1"), V2(1, "::ffff:10.0.0.1")},
                               {V2(0, "fe80::2"), V2(1, "::ffff:10.0.0.2")},
                               "192.168.0.1",
                               "192.168.0.2",
                               1,
                               1},
                      PairCase{"session_addresses_before_lower_indexes",
                               {V2(1, "::ffff:10.0.0.1"), V2(3, "::ffff:10.0.9.1")},
                               {V2(1, "::ffff:10.0.0.2"), V2(5, "::ffff:10.0.9.2")},
                               "10.0.9.1",
                               "10.0.9.2",
                               3,
                               5},
                      PairCase{"session_addresses_of_ipv6_with_zone",
                               {V2(0, "fe80::1"), V2(1, "::ffff:10.0.0.1")},
                               {V2(0, "fe80::2"), V2(1, "::ffff:10.0.0.2")},
                               "fe80::1%eth1",
                               "fe80::2%eth0",
                               0,
                               0},
                      PairCase{"session_address_mapped",
                               {V2(1, "::ffff:10.0.0.1"), V2(2, "::ffff:10.0.9.1")},
                               {V2(1, "::ffff:10.0.0.2"), V2(2, "::ffff:10.0.9.2")},
                               "::ffff:10.0.9.1",
                               "::ffff:10.0.9.2",
                               2,
                               2},
                      PairCase{"subnet_of_the_session",
                               {V2(1, "::ffff:10.0.0.1"), V2(2, "::ffff:10.0.9.11")},
                               {V2(1, "::ffff:10.0.0.2"), V2(2, "::ffff:10.0.9.12")},
                               "10.0.9.1",
                               "10.0.9.2",
                               2,
                               2},
                      PairCase{"v2_before_v1",
                               {V1(0, "::ffff:10.0.0.1"), V2(1, "::ffff:10.0.0.1")},
                               {V1(0, "::ffff:10.0.0.2"), V2(1, "::ffff:10.0.0.2")},
                               "10.0.0.1",
                               "10.0.0.2",
                               1,
                               1},
                      PairCase{"v1_where_one_side_has_no_other",
                               {V1(0, "::ffff:10.0.0.1"), V2(1, "::ffff:10.0.0.1")},
                               {V1(4, "::ffff:10.0.0.2")},
                               "10.0.0.1",
                               "10.0.0.2",
                               0,
                               4},
                      PairCase{"the_same_subnet_as_each_other",
                               {V2(1, "::ffff:10.0.1.1"), V2(2, "::ffff:10.0.2.1")},
                               {V2(1, "::ffff:10.0.2.2"), V2(2, "::ffff:10.0.3.2")},
                               "192.168.0.1",
                               "192.168.0.2",
                               2,
                               1},
                      PairCase{"link_local_where_nothing_else_is",
                               {V2(0, "fe80::1")},
                               {V2(0, "fe80::2"), V2(1, "::ffff:10.0.0.2")},
                               "192.168.0.1",
                               "192.168.0.2",
                               0,
                               0},
                      PairCase{"one_family_on_both_sides",
                               {V2(1, "fd77::1"), V2(2, "::ffff:10.0.0.1")},
                               {V2(1, "::ffff:10.0.0.2")},
                               "192.168.0.1",
                               "192.168.0.2",
                               2,
                               1},
                      PairCase{"lowest_indexes_last",
                               {V2(2, "::ffff:10.0.0.1"), V2(1, "::ffff:10.0.0.3")},
                               {V2(7, "::ffff:10.0.0.2"), V2(6, "::ffff:10.0.0.4")},
                               "",
                               "not an address",
                               1,
                               6}),
    [](const auto& test) { return test.param.name; });

void Choose(const std::vector<Gid>& client, const std::vector<Gid>& server) {
  ChooseGidPair(
      {.client = client, .server = server, .client_ip = "10.0.0.1", .server_ip = "10.0.0.2"});
}

TEST(ChooseGidPair, NeverPairsLinkLocalWithRoutable) {
  EXPECT_THAT([] { Choose({V2(0, "fe80::1")}, {V2(0, "fd77::2")}); },
              Throws<Error>(AllOf(Property(&Error::entry, "gid_pair"),
                                  Property(&Error::blame, Blame::kEnvironment))));
}

TEST(ChooseGidPair, NamesTheGidsOfBothSidesWhenNoTwoMatch) {
  EXPECT_THAT([] { Choose({V1(3, "::ffff:10.0.0.1")}, {V2(1, "fd77::2")}); },
              ThrowsMessage<Error>(AllOf(HasSubstr("client: 3 ::ffff:10.0.0.1 roce_v1"),
                                         HasSubstr("server: 1 fd77::2 roce_v2"))));
}

TEST(ChooseGidPair, SaysThatASideHasNone) {
  EXPECT_THAT([] { Choose({}, {V2(1, "fd77::2")}); },
              ThrowsMessage<Error>(HasSubstr("client: none")));
}

TEST(ChooseGidPair, CutsLongLists) {
  std::vector<Gid> many(20, V1(0, "fd77::1"));
  for (int i = 0; i < 20; ++i) many[static_cast<std::size_t>(i)].index = i;
  EXPECT_THAT([&] { Choose(many, {}); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("7 fd77::1 roce_v1 and 12 more"), Not(HasSubstr("8 fd77::1")))));
}

}  // namespace
}  // namespace rdmabench
