#include "bench/port_checks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Two devices on each side, of different drivers and MTU; 60 messages over the first and 40 over
// the second, of 3000 bytes. checks_test.cc has the cases of one device.
class PortChecks : public testing::Test {
 protected:
  PortChecks() {
    hosts_ = {{.role = "client", .name = "a"}, {.role = "server", .name = "b"}};
    for (report::Host& host : hosts_) {
      host.device = report::Device{.name = "mlx5_0", .driver = "mlx5_core"};
      host.rails = {{.device = *host.device},
                    {.device = report::Device{.name = "rxe1", .driver = "rdma_rxe"}}};
    }
    result_.test = "send_bw";
    result_.qp_type = "rc";
    result_.message_bytes = 3000;
    result_.messages = 100;
    result_.effective.mtu_bytes = 1024;
    result_.traffic.emplace_back().sent.messages = 100;
    result_.rails = {
        {.client_device = "mlx5_0",
         .server_device = "mlx5_0",
         .mtu_bytes = 4096,
         .sent_messages = 60,
         .counters = {.client = {{"port_xmit_packets", 61}}, .server = {{"port_rcv_packets", 60}}}},
        {.client_device = "rxe1",
         .server_device = "rxe1",
         .mtu_bytes = 1024,
         .sent_messages = 40,
         .counters = {.client = {{"sent_pkts", 120}}, .server = {{"rcvd_pkts", 125}}}}};
  }

  CheckInput Input() const { return {.result = result_, .hosts = hosts_}; }

  report::Result result_;
  std::vector<report::Host> hosts_;
};

TEST_F(PortChecks, AddUpThePacketsOfAllDevices) {
  const auto check = PortsCountThePackets(Input());
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->ok) << check->text;
  EXPECT_THAT(check->figures,
              ElementsAre(Pair("needed_packets", 60 + 120), Pair("sent_packets", 61 + 120),
                          Pair("received_packets", 60 + 125)));
}

// All went by the first device: the sum is right, and the second has seen nothing.
TEST_F(PortChecks, DoNotLetOneDeviceMakeUpForAnother) {
  result_.rails[0].counters.client[0].second = 181;
  result_.rails[1].counters.client[0].second = 0;
  const auto check = PortsCountThePackets(Input());
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->ok);
  EXPECT_EQ(check->text,
            "the ports have seen fewer packets than the messages need: rxe1 with rxe1");
}

TEST_F(PortChecks, LeaveOutADeviceThatDoesNotCount) {
  result_.rails[1].counters = {};
  const auto check = PortsCountThePackets(Input());
  ASSERT_TRUE(check);
  EXPECT_TRUE(check->ok);
  EXPECT_EQ(check->figures[0].second, 60);
}

TEST_F(PortChecks, SayNothingWhereTwoEndsAreOnePort) {
  hosts_[1].name = "a";
  hosts_[1].rails[0].device.name = "mlx5_4";
  EXPECT_FALSE(PortsCountThePackets(Input()));
  hosts_[1].rails[1].device.name = "rxe2";
  EXPECT_TRUE(PortsCountThePackets(Input()));
}

TEST_F(PortChecks, NameTheDeviceThatCountedErrors) {
  result_.rails[1].counters.server.emplace_back("duplicate_request", 7);
  const auto check = NoErrorsCounted(Input());
  ASSERT_TRUE(check);
  EXPECT_FALSE(check->ok);
  EXPECT_THAT(check->figures, ElementsAre(Pair("server_rxe1_duplicate_request", 7.0)));
  EXPECT_THAT(check->text, testing::StartsWith("the server's rxe1 counted requests that came"));
}

TEST_F(PortChecks, KnowACounterByItsOwnDevicesDriver) {
  result_.rails[0].counters.client.emplace_back("rp_cnp_handled", 5);
  EXPECT_FALSE(NoCongestionCounted(Input())->ok);
  result_.rails[0].counters.client.pop_back();
  result_.rails[1].counters.client.emplace_back("rp_cnp_handled", 5);
  EXPECT_TRUE(NoCongestionCounted(Input())->ok);
}

}  // namespace
}  // namespace rdmabench
