#include "transport/peer_info.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>

#include "transport/error.h"
#include "transport/gid.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using Json = nlohmann::json;

PeerInfo Complete() {
  return {.lid = 7,
          .gid = ParseGid("::ffff:10.0.0.1"),
          .addr = 0xfffffffffffff000,
          .bytes = 0xfff,
          .rkey = 0xffffffff,
          .queue_pairs = {{.qpn = 0x11, .psn = 0xffffff},
                          {.qpn = 0xffffff, .psn = 0, .rkey = 0xfffffffe}}};
}

TEST(PeerInfo, ComesBackAsItWent) {
  const PeerInfo sent = Complete();
  const PeerInfo read = PeerInfoFromJson(Json::parse(PeerInfoToJson(sent).dump()), 2);
  EXPECT_EQ(read.lid, sent.lid);
  ASSERT_TRUE(read.gid);
  EXPECT_EQ(std::memcmp(read.gid->raw, sent.gid->raw, sizeof sent.gid->raw), 0);
  EXPECT_EQ(read.addr, sent.addr);
  EXPECT_EQ(read.bytes, sent.bytes);
  EXPECT_EQ(read.rkey, sent.rkey);
  ASSERT_EQ(read.queue_pairs.size(), 2U);
  EXPECT_EQ(read.queue_pairs[0].psn, 0xffffffU);
  EXPECT_EQ(read.queue_pairs[1].qpn, 0xffffffU);
  EXPECT_EQ(read.queue_pairs[0].rkey, std::nullopt);
  EXPECT_EQ(read.queue_pairs[1].rkey, 0xfffffffe);
}

TEST(PeerInfo, LeavesOutWhatIsNotKnown) {
  PeerInfo info = Complete();
  info.lid = 0;
  info.gid.reset();
  const Json json = PeerInfoToJson(info);
  EXPECT_FALSE(json.contains("lid"));
  EXPECT_FALSE(json.contains("gid"));
  const PeerInfo read = PeerInfoFromJson(json, 2);
  EXPECT_EQ(read.lid, 0);
  EXPECT_FALSE(read.gid);
}

struct Hostile {
  const char* name;
  const char* pointer;  // where in the document
  Json value;           // null removes it
  const char* complaint;
};

class HostilePeerInfo : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostilePeerInfo, IsRefused) {
  Json json = PeerInfoToJson(Complete());
  const Json::json_pointer where(GetParam().pointer);
  Json& parent = json.at(where.parent_pointer());
  if (GetParam().value.is_null() && parent.is_array()) {
    parent.erase(std::stoul(where.back()));
  } else if (GetParam().value.is_null()) {
    parent.erase(where.back());
  } else {
    json[where] = GetParam().value;
  }
  EXPECT_THAT([&] { PeerInfoFromJson(json, 2); },
              ThrowsMessage<Error>(HasSubstr(GetParam().complaint)));
}

INSTANTIATE_TEST_SUITE_P(
    Values, HostilePeerInfo,
    ::testing::Values(
        Hostile{"lid_zero", "/lid", 0, "peer.lid is 0"},
        Hostile{"lid_multicast", "/lid", 0xc000, "peer.lid"},
        Hostile{"gid_text", "/gid", "10.0.0.1", "is not a GID"},
        Hostile{"gid_number", "/gid", 5, "peer.gid"},
        Hostile{"gid_long", "/gid", std::string(1000, ':'), "peer.gid"},
        Hostile{"addr_missing", "/addr", nullptr, "peer.addr is missing"},
        Hostile{"addr_negative", "/addr", -1, "peer.addr"},
        Hostile{"addr_fraction", "/addr", 1.5, "peer.addr"},
        Hostile{"range_wraps", "/bytes", 0x1000, "peer.bytes"},
        Hostile{"rkey_wide", "/rkey", 0x100000000, "peer.rkey"},
        Hostile{"qpn_zero", "/queue_pairs/0/qpn", 0, "peer.queue_pairs[0].qpn is 0"},
        Hostile{"qpn_wide", "/queue_pairs/1/qpn", 0x1000000, "peer.queue_pairs[1].qpn"},
        Hostile{"psn_wide", "/queue_pairs/1/psn", 0x1000000, "peer.queue_pairs[1].psn"},
        Hostile{"psn_missing", "/queue_pairs/0/psn", nullptr, "psn is missing"},
        Hostile{"extra_key", "/queue_pairs/0/qkey", 1, "unknown key 'qkey'"},
        Hostile{"unknown_key", "/rkeys", 1, "unknown key 'rkeys'"},
        Hostile{"no_list", "/queue_pairs", 3, "peer.queue_pairs"},
        Hostile{"too_few", "/queue_pairs/1", nullptr, "told of 1 queue pairs, and 2"},
        Hostile{"too_many", "/queue_pairs/2", Json{{"qpn", 1}, {"psn", 1}}, "peer.queue_pairs"}),
    [](const auto& test) { return test.param.name; });

TEST(PeerInfo, RefusesWhatIsNoObject) { EXPECT_THROW(PeerInfoFromJson(Json::array(), 1), Error); }

}  // namespace
}  // namespace rdmabench
