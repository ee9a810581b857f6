#include "bench/pairing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "transport/gid.h"

namespace rdmabench {
namespace {

// One device of a side: its link layer's first letter and an address.
struct End {
  char link_layer;
  const char* gid;
};

std::string LayerOf(const End& end) { return end.link_layer == 'i' ? "infiniband" : "ethernet"; }

std::vector<Gid> GidsOf(const End& end) {
  const GidType type = end.link_layer == 'i' ? GidType::kInfiniBand : GidType::kRoceV2;
  return {{.index = 0, .type = type, .raw = ParseGid("fe80::1"), .netdev = {}},
          {.index = 1, .type = type, .raw = ParseGid(end.gid), .netdev = {}}};
}

// "0 subnet, 1 order, none": the server's port for each of the client's devices, and why.
std::string Paired(const std::vector<End>& client, const std::vector<End>& own) {
  std::vector<Offer> offers;
  for (const End& end : client) {
    offers.push_back({.device = {}, .link_layer = LayerOf(end), .gids = GidsOf(end)});
  }
  std::vector<PortInfo> ports;
  for (const End& end : own) {
    PortInfo& port = ports.emplace_back();
    port.link_layer = LayerOf(end);
    port.gids = GidsOf(end);
  }
  std::string text;
  for (const std::optional<Pairing>& pair : PairPorts(
           {.client = offers, .own = ports, .client_ip = "10.0.1.2", .server_ip = "10.0.1.1"})) {
    text += text.empty() ? "" : ", ";
    text += pair ? std::to_string(pair->own) + " " + std::string(PairedByName(pair->why)) : "none";
  }
  return text;
}

TEST(PairedBy, IsFoundByItsName) {
  for (const PairedBy why : {PairedBy::kClient, PairedBy::kServer, PairedBy::kSession,
                             PairedBy::kSubnet, PairedBy::kOrder}) {
    EXPECT_EQ(FindPairedBy(PairedByName(why)), why);
  }
  EXPECT_FALSE(FindPairedBy("chance"));
}

struct PairingCase {
  const char* name;
  std::vector<End> client;
  std::vector<End> own;
  const char* paired;
};

class PairPortsTest : public testing::TestWithParam<PairingCase> {};

TEST_P(PairPortsTest, ChoosesForEachDevice) {
  EXPECT_EQ(Paired(GetParam().client, GetParam().own), GetParam().paired);
}

INSTANTIATE_TEST_SUITE_P(
    Table, PairPortsTest,
    testing::Values(PairingCase{"by_subnet_whatever_the_order",
                                {{'e', "::ffff:10.0.8.2"}, {'e', "::ffff:10.0.9.2"}},
                                {{'e', "::ffff:10.0.9.1"}, {'e', "::ffff:10.0.8.1"}},
                                "1 subnet, 0 subnet"},
                    PairingCase{"by_subnet_of_ipv6",
                                {{'e', "fd78::2"}, {'e', "fd79::2"}},
                                {{'e', "fd79::1"}, {'e', "fd78::1"}},
                                "1 subnet, 0 subnet"},
                    PairingCase{"the_sessions_own_first",
                                {{'e', "::ffff:10.0.1.3"}, {'e', "::ffff:10.0.1.2"}},
                                {{'e', "::ffff:10.0.1.1"}, {'e', "::ffff:10.0.1.7"}},
                                "1 subnet, 0 session"},
                    PairingCase{"all_in_one_subnet_in_order",
                                {{'e', "::ffff:10.0.8.2"}, {'e', "::ffff:10.0.8.3"}},
                                {{'e', "::ffff:10.0.8.4"}, {'e', "::ffff:10.0.8.5"}},
                                "0 subnet, 1 subnet"},
                    PairingCase{"in_order_where_no_subnet_is_shared",
                                {{'e', "::ffff:10.0.8.2"}, {'e', "::ffff:10.0.9.2"}},
                                {{'e', "::ffff:10.0.6.1"}, {'e', "::ffff:10.0.7.1"}},
                                "0 order, 1 order"},
                    // The first would take by order what the second shares a subnet with.
                    PairingCase{"a_subnet_before_an_order",
                                {{'e', "::ffff:10.0.8.2"}, {'e', "::ffff:10.0.9.2"}},
                                {{'e', "::ffff:10.0.9.1"}, {'e', "::ffff:10.0.7.1"}},
                                "1 order, 0 subnet"},
                    PairingCase{"link_local_is_no_subnet",
                                {{'i', "fe80::2"}, {'i', "fe80::3"}},
                                {{'i', "fe80::4"}, {'i', "fe80::5"}},
                                "0 order, 1 order"},
                    PairingCase{"of_equal_link_layer",
                                {{'i', "fec0::2"}, {'e', "::ffff:10.0.9.2"}},
                                {{'e', "::ffff:10.0.5.1"}, {'i', "fec1::1"}},
                                "1 order, 0 order"},
                    PairingCase{"none_left",
                                {{'e', "::ffff:10.0.8.2"}, {'e', "::ffff:10.0.9.2"}},
                                {{'e', "::ffff:10.0.9.1"}, {'i', "fec0::1"}},
                                "none, 0 subnet"},
                    PairingCase{"no_port_at_all", {{'e', "::ffff:10.0.8.2"}}, {}, "none"}),
    [](const auto& row) { return std::string(row.param.name); });

}  // namespace
}  // namespace rdmabench
