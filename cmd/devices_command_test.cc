#include "cmd/devices_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rdmabench {
namespace {

using testing::AllOf;
using testing::HasSubstr;

DeviceInfo MakeDevice(std::optional<double> link_gbps) {
  Gid gid;
  gid.index = 3;
  gid.raw = ParseGid("::ffff:10.0.0.1");
  gid.netdev = "eth1";
  DeviceInfo device;
  device.name = "mlx5_0";
  device.driver = "mlx5_core";
  device.netdev = "eth1";
  PortInfo port;
  port.state = IBV_PORT_ACTIVE;
  port.link_layer = "ethernet";
  port.active_mtu_bytes = 4096;
  port.link_gbps = link_gbps;
  port.gids = {gid};
  device.ports = {port};
  return device;
}

TEST(DevicesText, ShowsPortsWithCoresAndGidsAsTextWithType) {
  const std::string text = DevicesText({MakeDevice(100.0)}, Locality());
  EXPECT_THAT(text, AllOf(HasSubstr("mlx5_0"), HasSubstr("active"), HasSubstr("100.0 Gb/s"),
                          HasSubstr("::ffff:10.0.0.1"), HasSubstr("roce_v2")));
}

TEST(DevicesText, SaysThatALinkSpeedIsNotKnown) {
  EXPECT_THAT(DevicesText({MakeDevice({})}, Locality()), HasSubstr("not known"));
}

TEST(DevicesJson, HasTheSameAndLeavesOutWhatIsNotKnown) {
  const auto json = nlohmann::json::parse(DevicesJson({MakeDevice({})}, Locality()));
  const auto& device = json.at("devices").at(0);
  EXPECT_EQ(device.at("name"), "mlx5_0");
  EXPECT_FALSE(device.contains("firmware"));
  EXPECT_FALSE(device.at("proposed_cpus").empty());
  const auto& port = device.at("ports").at(0);
  EXPECT_EQ(port.at("state"), "active");
  EXPECT_FALSE(port.contains("link_gbps"));
  EXPECT_EQ(port.at("gids").at(0).at("index"), 3);
}

TEST(DevicesJson, IsAValidDocumentWithoutAnyDevice) {
  EXPECT_TRUE(nlohmann::json::parse(DevicesJson({}, Locality())).at("devices").empty());
}

}  // namespace
}  // namespace rdmabench
