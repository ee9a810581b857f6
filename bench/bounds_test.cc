#include "bench/bounds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace rdmabench {
namespace {

using testing::HasSubstr;

constexpr double kRelative = 1e-4;

// 64 KiB between two adapters of 100 Gb/s.
class BoundsTest : public testing::Test {
 protected:
  BoundsTest() {
    hosts_ = {{.role = "client", .name = "a"}, {.role = "server", .name = "b"}};
    for (report::Host& host : hosts_) {
      host.device = report::Device{
          .name = "mlx5_0",
          .driver = "mlx5_core",
          .data_gbps = 100.0,
          .pcie = report::Pcie{
              .gigatransfers_per_second = 16.0, .lanes = 16, .max_payload_bytes = 256}};
    }
    MakeTest("send");
    result_.message_bytes = 65536;
    result_.effective.mtu_bytes = 4096;
    result_.effective.send_depth = 128;
    result_.effective.client_gid =
        report::Gid{.index = 3, .type = "roce_v2", .text = "::ffff:10.0.0.1"};
    result_.bandwidth = report::Bandwidth{.bytes_per_second = 12e9};
  }

  void MakeTest(const std::string& op) {
    result_.test = op + "_bw";
    result_.op = op;
    result_.qp_type = "rc";
  }
  report::Bounds Bounds() const { return BoundsOf(result_, hosts_, earlier_); }
  report::Bound Find(const std::string& name) const {
    for (const report::Bound& bound : Bounds().limits) {
      if (bound.name == name) return bound;
    }
    ADD_FAILURE() << name;
    return {};
  }
  double GbpsOf(const std::string& name) const {
    return Find(name).bytes_per_second.value_or(0.0) * 8e-9;
  }
  // A round trip of the operation that took at least so long.
  void MeasureLatency(const std::string& op, std::uint64_t message_bytes, double min_ns) {
    report::Result& result = earlier_.emplace_back();
    result.op = op;
    result.message_bytes = message_bytes;
    result.latency = report::Latency{.basis = "round_trip", .samples = 1000, .min_ns = min_ns};
  }

  report::Result result_;
  std::vector<report::Host> hosts_;
  std::vector<report::Result> earlier_;
};

TEST_F(BoundsTest, OfTheLinkIsWhatTheHeadersLeave) {
  EXPECT_NEAR(GbpsOf("link"), 98.0373, 98 * kRelative);  // 100 × 65536 / 66848
  EXPECT_EQ(Find("link").text, "100 Gb/s, MTU 4096 B, RoCE v2 over IPv4");
  result_.effective.mtu_bytes = 1024;
  EXPECT_NEAR(GbpsOf("link"), 92.5859, 92 * kRelative);  // 100 × 65536 / 70784
}

TEST_F(BoundsTest, OfTheLinkIsThatOfTheSlowerEnd) {
  hosts_[1].device->data_gbps = 25.0;
  EXPECT_NEAR(GbpsOf("link"), 98.0373 / 4, 25 * kRelative);
  hosts_[0].device->data_gbps.reset();
  EXPECT_NEAR(GbpsOf("link"), 98.0373 / 4, 25 * kRelative);
}

TEST_F(BoundsTest, OfTheLinkIsForBothDirectionsWhereBothAreUsed) {
  result_.bidirectional = true;
  EXPECT_NEAR(GbpsOf("link"), 2 * 98.0373, 196 * kRelative);
}

// 98 bytes of a request against 94 of its answer; both ways each link has both.
TEST_F(BoundsTest, OfSmallReadsIsTheRequests) {
  MakeTest("read");
  result_.message_bytes = 8;
  EXPECT_NEAR(GbpsOf("link"), 100.0 * 8 / 98, 8 * kRelative);
  result_.bidirectional = true;
  EXPECT_NEAR(GbpsOf("link"), 2 * 100.0 * 8 / (98 + 94), 8 * kRelative);
}

TEST_F(BoundsTest, SayThatALinksSpeedIsNotKnown) {
  for (report::Host& host : hosts_) {
    host.device->driver = "rdma_rxe";
    host.device->data_gbps.reset();
  }
  EXPECT_FALSE(Find("link").bytes_per_second);
  EXPECT_THAT(Find("link").text, HasSubstr("neither rdma_rxe nor its interface"));
}

TEST_F(BoundsTest, SayThatNoLinkIsUsed) {
  hosts_[1].name = hosts_[0].name;
  EXPECT_FALSE(Find("link").bytes_per_second);
  EXPECT_EQ(Find("link").text, "both ends are one port");
}

TEST_F(BoundsTest, OfPcieDependOnWhoReadsTheMemoryAndWhoWrites) {
  EXPECT_NEAR(GbpsOf("pcie_client"), 233.7962, 233 * kRelative);  // completions: 252.0615 × 256/276
  EXPECT_NEAR(GbpsOf("pcie_server"), 230.4563, 230 * kRelative);  // writes: 252.0615 × 256/280
  MakeTest("read");
  EXPECT_NEAR(GbpsOf("pcie_server"), 233.7962, 233 * kRelative);
  EXPECT_EQ(Find("pcie_server").text, "16 GT/s, 16 lanes, 256 B a packet");
  result_.bidirectional = true;
  EXPECT_NEAR(GbpsOf("pcie_client"), 233.7962 + 230.4563, 464 * kRelative);
}

TEST_F(BoundsTest, SayThatPcieIsNotKnown) {
  hosts_[0].device->pcie.reset();
  hosts_[1].device.reset();
  EXPECT_FALSE(Find("pcie_client").bytes_per_second);
  EXPECT_FALSE(Find("pcie_server").bytes_per_second);
}

// 16 of 64 KiB in 10 us, though 128 are posted.
TEST_F(BoundsTest, OfTheWindowIsWhatFitsIntoARoundTrip) {
  MakeTest("read");
  result_.effective.read_depth = 16;
  MeasureLatency("read", 8, 10'000.0);
  EXPECT_NEAR(GbpsOf("window"), 16 * 65536 * 8 / 10'000.0, kRelative);
  result_.queue_pairs = 2;
  EXPECT_NEAR(GbpsOf("window"), 2 * 16 * 65536 * 8 / 10'000.0, kRelative);
  MeasureLatency("read", 2, 5'000.0);
  EXPECT_NEAR(GbpsOf("window"), 2 * 16 * 65536 * 8 / 5'000.0, kRelative);
}

// A larger message's round trip is longer, and another operation's something else.
TEST_F(BoundsTest, SayThatNoRoundTripIsKnown) {
  MakeTest("read");
  MeasureLatency("read", 65537, 10'000.0);
  MeasureLatency("fetch_add", 8, 10'000.0);
  MeasureLatency("read", 8, 10'000.0);
  earlier_.back().open_loop.emplace();
  EXPECT_FALSE(Find("window").bytes_per_second);
  // The peer's program is in the round trip of a SEND: its acknowledgement is faster.
  MakeTest("send");
  MeasureLatency("send", 8, 10'000.0);
  EXPECT_FALSE(Find("window").bytes_per_second);
  EXPECT_EQ(Find("window").text, "no round trip was measured before");
}

TEST_F(BoundsTest, NameTheLowestAndTheShareOfIt) {
  report::Bounds bounds = Bounds();
  ASSERT_TRUE(bounds.lowest && bounds.achieved_share);
  EXPECT_EQ(bounds.limits[*bounds.lowest].name, "link");
  EXPECT_NEAR(*bounds.achieved_share, 12 * 8 / 98.0373, kRelative);
  hosts_[1].device->pcie->lanes = 4;
  bounds = Bounds();
  EXPECT_EQ(bounds.limits[*bounds.lowest].name, "pcie_server");
}

// A second device on each side, as the first but for its place on the bus.
class BoundsOfRails : public BoundsTest {
 protected:
  BoundsOfRails() {
    for (report::Host& host : hosts_) {
      host.device->pcie_address = "0000:3b:00.0";
      host.rails = {{.device = *host.device}, {.device = *host.device}};
      host.rails[1].device.name = "mlx5_1";
      host.rails[1].device.pcie_address = "0000:5e:00.0";
    }
    result_.rails.resize(2);
    for (report::Rail& rail : result_.rails) {
      rail.mtu_bytes = 4096;
      rail.client_gid = result_.effective.client_gid;
    }
  }
};

TEST_F(BoundsOfRails, AddUp) {
  EXPECT_NEAR(GbpsOf("link"), 2 * 98.0373, 196 * kRelative);
  EXPECT_EQ(Find("link").text, "2 × 100 Gb/s, MTU 4096 B, RoCE v2 over IPv4");
  EXPECT_NEAR(GbpsOf("pcie_client"), 2 * 233.7962, 467 * kRelative);
}

TEST_F(BoundsOfRails, AreOfEachOnesOwnSpeedAndMtu) {
  hosts_[1].rails[1].device.data_gbps = 25.0;
  result_.rails[1].mtu_bytes = 1024;
  EXPECT_NEAR(GbpsOf("link"), 98.0373 + 92.5859 / 4, 121 * kRelative);
  EXPECT_THAT(Find("link").text, HasSubstr(" + 25 Gb/s, MTU 1024 B"));
}

TEST_F(BoundsOfRails, AreNotKnownWhereOneIsNot) {
  for (report::Host& host : hosts_) {
    host.rails[1].device.driver = "rdma_rxe";
    host.rails[1].device.data_gbps.reset();
  }
  EXPECT_FALSE(Find("link").bytes_per_second);
  EXPECT_THAT(Find("link").text, HasSubstr("neither rdma_rxe nor its interface"));
}

TEST_F(BoundsOfRails, CountALinkOnceThatTwoFunctionsOfASlotShare) {
  hosts_[0].rails[1].device.pcie_address = "0000:3b:00.1";
  EXPECT_NEAR(GbpsOf("pcie_client"), 233.7962, 233 * kRelative);
  EXPECT_NEAR(GbpsOf("pcie_server"), 2 * 230.4563, 460 * kRelative);
}

TEST_F(BoundsTest, HaveNoLowestWhereNoneIsKnown) {
  hosts_.clear();
  const report::Bounds bounds = Bounds();
  EXPECT_FALSE(bounds.lowest || bounds.achieved_share);
  for (const report::Bound& bound : bounds.limits) EXPECT_NE(bound.text, "") << bound.name;
}

}  // namespace
}  // namespace rdmabench
