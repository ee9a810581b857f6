#include "transport/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <vector>

#include "transport/error.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

fake::FakeDevice Roce(std::string name, const std::string& ip) {
  return {.name = std::move(name), .gids = {{"fe80::1"}, {"::ffff:" + ip}}};
}

fake::FakeDevice InfiniBand(std::string name, std::uint16_t lid) {
  return {.name = std::move(name),
          .link_layer = IBV_LINK_LAYER_INFINIBAND,
          .lid = lid,
          .gids = {{"fe80::2", IBV_GID_TYPE_IB}}};
}

auto Remedy(auto matcher) { return Throws<Error>(Property(&Error::remedy, matcher)); }

class DeviceTest : public ::testing::Test {
 protected:
  ~DeviceTest() override { EXPECT_EQ(fake::LiveObjects(), 0U); }
};

TEST_F(DeviceTest, OpensByName) {
  fake::Reset({Roce("rxe0", "10.0.0.1"), Roce("rxe1", "10.0.1.1")});
  EXPECT_EQ(Device::Open("rxe1").info().name, "rxe1");
}

TEST_F(DeviceTest, NamesTheExistingWhenAskedForAnother) {
  fake::Reset({Roce("mlx5_0", "10.0.0.1"), Roce("rxe0", "10.0.1.1")});
  EXPECT_THAT([] { Device::Open("mlx5_7"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("mlx5_7"), HasSubstr("there are: mlx5_0, rxe0"),
                                         HasSubstr("did you mean mlx5_0"))));
}

TEST_F(DeviceTest, IsRequiredByItsNameOrItsInterfaces) {
  fake::Reset({Roce("mlx5_0", "10.0.0.1")});
  EXPECT_NO_THROW(RequireDevice("mlx5_0"));
  EXPECT_NO_THROW(RequireDevice("lo"));
  EXPECT_THAT([] { RequireDevice("mlx5_7"); },
              ThrowsMessage<Error>(HasSubstr("there are: mlx5_0")));
}

TEST_F(DeviceTest, OffersASoftwareDeviceForAnInterfaceWithout) {
  fake::Reset({Roce("mlx5_0", "10.0.0.1")});
  EXPECT_THAT([] { Device::Open("lo"); }, Remedy(HasSubstr("type rxe netdev lo")));
}

TEST_F(DeviceTest, SaysThatThereIsNone) {
  fake::Reset({});
  EXPECT_THAT([] { Device::Open("rxe0"); },
              ThrowsMessage<Error>(HasSubstr("no RDMA device found")));
}

TEST_F(DeviceTest, BlamesTheEnvironmentWhenThereIsNone) {
  fake::Reset({});
  EXPECT_THAT([] { Device::OpenFor("127.0.0.1"); },
              Throws<Error>(Property(&Error::blame, Blame::kEnvironment)));
}

TEST_F(DeviceTest, TellsWhatToDoWithoutPermission) {
  fake::Reset({Roce("rxe0", "10.0.0.1")});
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = EACCES});
  EXPECT_THAT([] { Device::Open("rxe0"); },
              Throws<Error>(AllOf(Property(&Error::what, HasSubstr("/dev/infiniband/uverbs_rxe0")),
                                  Property(&Error::remedy, HasSubstr("join the group")))));
}

TEST_F(DeviceTest, TellsWhatToDoWithoutTheDeviceFile) {
  fake::Reset({Roce("rxe0", "10.0.0.1")});
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = ENOENT});
  EXPECT_THAT([] { Device::OpenFor("10.0.0.1"); }, Remedy(HasSubstr("--device=/dev/infiniband")));
}

TEST_F(DeviceTest, IsTheOneThatHasTheSessionsAddress) {
  fake::Reset({Roce("rxe0", "10.0.0.1"), Roce("rxe1", "10.0.1.1")});
  EXPECT_EQ(Device::OpenFor("10.0.1.1").info().name, "rxe1");
}

TEST_F(DeviceTest, IsFoundByALinkLocalAddressWithZone) {
  fake::Reset({{.name = "rxe0", .gids = {{"fe80::1"}}}, {.name = "rxe1", .gids = {{"fe80::2"}}}});
  EXPECT_EQ(Device::OpenFor("fe80::2%eth1").info().name, "rxe1");
}

TEST_F(DeviceTest, IsTheFirstActiveWhenNoneHasTheAddress) {
  fake::FakeDevice down = Roce("rxe0", "10.0.0.1");
  down.state = IBV_PORT_DOWN;
  fake::Reset({down, Roce("rxe1", "10.0.1.1"), Roce("rxe2", "10.0.2.1")});
  EXPECT_EQ(Device::OpenFor("192.0.2.7").info().name, "rxe1");
}

TEST_F(DeviceTest, NamesThoseWithoutAnActivePort) {
  fake::FakeDevice down = Roce("rxe0", "10.0.0.1");
  down.state = IBV_PORT_DOWN;
  fake::Reset({down});
  EXPECT_THAT([] { Device::OpenFor("10.0.0.1"); },
              ThrowsMessage<Error>(
                  AllOf(HasSubstr("no RDMA device has an active port"), HasSubstr("rxe0"))));
}

TEST_F(DeviceTest, ReadsTheGidTableWithoutItsEmptyEntries) {
  fake::Reset({{.name = "rxe0", .gids = {{"::"}, {"fe80::1", IBV_GID_TYPE_ROCE_V1}, {"fd77::1"}}}});
  const DeviceInfo info = Device::Open("rxe0").info();
  const std::vector<Gid>& gids = info.ports.front().gids;
  ASSERT_EQ(gids.size(), 2U);
  EXPECT_EQ(gids[0].index, 1);
  EXPECT_EQ(gids[0].type, GidType::kRoceV1);
  EXPECT_EQ(gids[1].index, 2);
  EXPECT_EQ(gids[1].Text(), "fd77::1");
}

TEST_F(DeviceTest, DescribesAnInfiniBandPort) {
  fake::Reset({InfiniBand("mlx5_0", 7)});
  const DeviceInfo info = Device::Open("mlx5_0").info();
  const PortInfo& port = info.ports.front();
  EXPECT_EQ(port.link_layer, "infiniband");
  EXPECT_EQ(port.lid, 7);
  EXPECT_FALSE(port.grh_required);
  EXPECT_EQ(port.link_gbps, 100.0);
  EXPECT_EQ(port.link_lane, "EDR");
  EXPECT_EQ(port.link_lanes, 4U);
  EXPECT_EQ(port.data_gbps, 100.0);
}

TEST_F(DeviceTest, TellsTheRateOfTheDataFromThatOfTheLineCode) {
  constexpr std::uint8_t kQdr = 4;
  fake::FakeDevice infiniband = InfiniBand("mlx5_0", 7);
  fake::FakeDevice ethernet = Roce("mlx5_1", "10.0.0.1");
  infiniband.active_speed = ethernet.active_speed = kQdr;
  fake::Reset({infiniband, ethernet});
  const DeviceInfo coded = Device::Open("mlx5_0").info();
  EXPECT_EQ(coded.ports.front().link_gbps, 40.0);
  EXPECT_EQ(coded.ports.front().data_gbps, 32.0);
  const DeviceInfo plain = Device::Open("mlx5_1").info();
  EXPECT_EQ(plain.ports.front().link_gbps, 40.0);
  EXPECT_EQ(plain.ports.front().data_gbps, 40.0);
}

TEST_F(DeviceTest, WantsAGrhOnEthernet) {
  fake::Reset({Roce("rxe0", "10.0.0.1")});
  EXPECT_TRUE(Device::Open("rxe0").info().ports.front().grh_required);
}

TEST_F(DeviceTest, ReportsTheMtuInBytes) {
  fake::FakeDevice device = Roce("rxe0", "10.0.0.1");
  device.active_mtu = IBV_MTU_2048;
  fake::Reset({device});
  const DeviceInfo info = Device::Open("rxe0").info();
  EXPECT_EQ(info.ports.front().active_mtu_bytes, 2048U);
  EXPECT_EQ(info.ports.front().max_mtu_bytes, 4096U);
}

TEST_F(DeviceTest, HasNoRateWithoutALink) {
  fake::FakeDevice down = Roce("mlx5_0", "10.0.0.1");
  down.state = IBV_PORT_DOWN;
  fake::Reset({down});
  const DeviceInfo info = Device::Open("mlx5_0").info();
  EXPECT_FALSE(info.ports.front().link_gbps || info.ports.front().data_gbps);
  EXPECT_TRUE(info.ports.front().link_lane.empty() && info.ports.front().link_lanes == 0);
}

TEST_F(DeviceTest, NamesThePortsItHas) {
  fake::Reset({Roce("rxe0", "10.0.0.1")});
  const Device device = Device::Open("rxe0");
  EXPECT_THAT([&] { device.ActivePort(3); },
              ThrowsMessage<Error>(HasSubstr("rxe0 has no port 3; it has port 1 only")));
}

TEST_F(DeviceTest, NamesTheStateOfAPortThatIsNotActive) {
  fake::FakeDevice down = Roce("rxe0", "10.0.0.1");
  down.state = IBV_PORT_DOWN;
  fake::Reset({down});
  const Device device = Device::Open("rxe0");
  EXPECT_THAT([&] { device.ActivePort(std::nullopt); },
              ThrowsMessage<Error>(HasSubstr("port 1 of rxe0 is not active but down")));
}

TEST_F(DeviceTest, SuspectsTheSubnetManagerOfAnInitializingPort) {
  fake::FakeDevice waiting = InfiniBand("mlx5_0", 0);
  waiting.state = IBV_PORT_INIT;
  fake::Reset({waiting});
  const Device device = Device::Open("mlx5_0");
  EXPECT_THAT([&] { device.ActivePort(1); }, Remedy(HasSubstr("opensm")));
}

TEST_F(DeviceTest, FailsWithTheVerbThatFailed) {
  fake::Reset({Roce("rxe0", "10.0.0.1")});
  fake::Inject({.failing_call = "ibv_query_port", .failing_errno = EIO});
  EXPECT_THAT([] { Device::Open("rxe0"); },
              ThrowsMessage<Error>(HasSubstr("cannot query port 1 of rxe0: Input/output error")));
}

TEST_F(DeviceTest, ListsAll) {
  fake::Reset({Roce("rxe0", "10.0.0.1"), InfiniBand("mlx5_0", 7)});
  std::vector<std::string> names;
  for (const DeviceInfo& info : ListDevices(nullptr)) names.push_back(info.name);
  EXPECT_THAT(names, ElementsAre("rxe0", "mlx5_0"));
}

TEST_F(DeviceTest, ListsWhatDidNotOpenApart) {
  fake::Reset({Roce("rxe0", "10.0.0.1"), Roce("rxe1", "10.0.1.1")});
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = EACCES, .failing_after = 1});
  std::vector<std::string> skipped;
  EXPECT_EQ(ListDevices(&skipped).size(), 1U);
  EXPECT_THAT(skipped, ElementsAre(testing::StartsWith(
                           "cannot open rxe1 (/dev/infiniband/uverbs_rxe1): Permission denied")));
}

TEST_F(DeviceTest, NamesTheDeviceOfEachFailure) {
  fake::Reset({Roce("rxe0", "10.0.0.1"), Roce("rxe1", "10.0.1.1"), Roce("rxe2", "10.0.2.1")});
  fake::Inject({.failing_call = "ibv_query_gid_table", .failing_errno = EIO, .failing_after = 1});
  std::vector<Error> failures;
  const std::vector<Device> devices = OpenDevices(failures);
  ASSERT_EQ(devices.size(), 1U);
  EXPECT_EQ(devices.front().info().name, "rxe0");
  ASSERT_EQ(failures.size(), 2U);
  EXPECT_THAT(failures.back().what(), HasSubstr("the GID table of rxe2: Input/output error"));
}

TEST_F(DeviceTest, ListsNoneWithoutFailing) {
  fake::Reset({});
  EXPECT_TRUE(ListDevices(nullptr).empty());
}

class MtuTest : public ::testing::TestWithParam<std::uint32_t> {};
INSTANTIATE_TEST_SUITE_P(Legal, MtuTest, ::testing::Values(256, 512, 1024, 2048, 4096));

TEST_P(MtuTest, GoesThereAndBack) { EXPECT_EQ(MtuBytes(MtuFromBytes(GetParam())), GetParam()); }

TEST(Mtu, NamesTheLegalOnesForAnyOther) {
  EXPECT_THAT([] { MtuFromBytes(1500); },
              ThrowsMessage<Error>(AllOf(HasSubstr("1500"), HasSubstr("256, 512, 1024"))));
}

}  // namespace
}  // namespace rdmabench
