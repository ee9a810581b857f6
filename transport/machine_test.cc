#include "transport/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/device_info.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

fake::FakeDevice Named(const std::string& name) {
  fake::FakeDevice device;
  device.name = name;
  return device;
}

class MachineTest : public testing::Test {
 protected:
  MachineTest() { fake::Reset({Named("fake0"), Named("fake1")}); }
  ~MachineTest() override { EXPECT_EQ(fake::LiveObjects(), 0U); }
};

TEST_F(MachineTest, HasAllDevicesAndTheProcessorsOfThisThread) {
  const Machine machine = ReadMachine({});
  EXPECT_THAT(machine.devices, SizeIs(2));
  EXPECT_FALSE(machine.chosen);
  EXPECT_THAT(machine.allowed_cpus, Not(IsEmpty()));
}

TEST_F(MachineTest, HasTheDeviceThatWasNamed) {
  const Machine machine = ReadMachine({.devices = {{"fake1", {}}}, .port = {}, .gid_index = {}});
  ASSERT_THAT(machine.devices, SizeIs(1));
  EXPECT_EQ(machine.devices[0].name, "fake1");
  EXPECT_TRUE(machine.chosen);
}

TEST_F(MachineTest, HasThePortAndTheGidThatWereNamed) {
  EXPECT_THAT(ReadMachine({.devices = {}, .port = 2, .gid_index = {}}).devices[0].ports, IsEmpty());
  const Machine machine = ReadMachine({.devices = {}, .port = 1, .gid_index = 1});
  ASSERT_THAT(machine.devices[0].ports[0].gids, SizeIs(1));
  EXPECT_EQ(machine.devices[0].ports[0].gids[0].index, 1);
}

struct MissingCase {
  const char* name;
  MachineChoice choice;
  std::vector<std::string> devices;  // words of each error
  std::vector<std::string> ports;
  std::vector<std::string> gids = {};
};

// fake0 and fake1, with port 1 each.
TEST_F(MachineTest, SaysWhatIsNotThereOfWhatWasNamed) {
  const MissingCase cases[] = {
      {"all", {}, {}, {}},
      {"both", {.devices = {{"fake0", 1}, {"fake1", {}}}, .port = {}, .gid_index = {}}, {}, {}},
      {"a_device",
       {.devices = {{"fake0", {}}, {"fake7", {}}}, .port = {}, .gid_index = {}},
       {"is named \"fake7\"; there are: fake0, fake1"},
       {}},
      {"an_interface_without",
       {.devices = {{"lo", {}}}, .port = {}, .gid_index = {}},
       {"no RDMA device belongs to the network interface lo"},
       {}},
      {"a_port_of_a_device",
       {.devices = {{"fake0", {}}}, .port = 2, .gid_index = {}},
       {},
       {"fake0 has no port 2; it has port 1 only"}},
      {"a_port_behind_a_name",
       {.devices = {{"fake0", 1}, {"fake1", 3}}, .port = {}, .gid_index = {}},
       {},
       {"fake1 has no port 3"}},
      {"a_port_of_any",
       {.devices = {}, .port = 2, .gid_index = {}},
       {},
       {"fake0 has no port 2", "fake1 has no port 2"}},
      {"a_gid_of_a_device",
       {.devices = {{"fake1", {}}}, .port = {}, .gid_index = 99},
       {},
       {},
       {"--gid-index 99 is not in use on fake1 port 1"}},
      {"a_gid_of_any",
       {.devices = {}, .port = {}, .gid_index = 99},
       {},
       {},
       {"is not in use on fake0 port 1", "is not in use on fake1 port 1"}},
  };
  const auto expect = [](const std::vector<Error>& errors, const std::vector<std::string>& words) {
    ASSERT_EQ(errors.size(), words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      EXPECT_THAT(errors[i].what(), HasSubstr(words[i]));
      EXPECT_FALSE(errors[i].remedy().empty());
    }
  };
  for (const MissingCase& row : cases) {
    SCOPED_TRACE(row.name);
    const Machine machine = ReadMachine(row.choice);
    expect(machine.missing_devices, row.devices);
    expect(machine.missing_ports, row.ports);
    expect(machine.missing_gids, row.gids);
  }
}

TEST_F(MachineTest, HasThePortThatWasNamedWithItsDevice) {
  const Machine machine = ReadMachine({.devices = {{"fake0", 1}}, .port = 2, .gid_index = {}});
  EXPECT_THAT(machine.devices[0].ports, SizeIs(1));
}

TEST_F(MachineTest, HasNamedDevicesInTheOrderOfTheirNames) {
  const Machine machine =
      ReadMachine({.devices = {{"fake1", {}}, {"fake0", {}}}, .port = {}, .gid_index = {}});
  ASSERT_THAT(machine.devices, SizeIs(2));
  EXPECT_EQ(machine.devices[0].name, "fake1");
}

TEST_F(MachineTest, DoesNotCareWhetherOthersOpenThanThoseThatWereNamed) {
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = EACCES, .failing_after = 1});
  EXPECT_THAT(ReadMachine({.devices = {{"fake0", {}}}, .port = {}, .gid_index = {}}).closed,
              IsEmpty());
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = EACCES, .failing_after = 1});
  EXPECT_THAT(ReadMachine({.devices = {{"fake1", {}}}, .port = {}, .gid_index = {}}).closed,
              SizeIs(1));
}

TEST(NetdevsOf, AreThoseOfEveryPort) {
  PortInfo first;
  first.number = 1;
  PortInfo second;
  second.number = 2;
  second.gids.push_back({.index = 0, .type = GidType::kRoceV2, .raw = {}, .netdev = "eth3"});
  PortInfo third;
  third.number = 3;  // without a GID, so nothing tells its interface
  DeviceInfo device;
  device.netdev = "eth2";
  device.ports = {first, second, third};
  EXPECT_THAT(NetdevsOf({&device, 1}), ElementsAre("eth2", "eth3"));
  device.ports = {second};
  EXPECT_THAT(NetdevsOf({&device, 1}), ElementsAre("eth3"));
}

TEST_F(MachineTest, SaysWhyADeviceDoesNotOpen) {
  fake::Inject({.failing_call = "ibv_open_device", .failing_errno = EACCES, .failing_after = 1});
  const Machine machine = ReadMachine({});
  EXPECT_THAT(machine.devices, SizeIs(1));
  ASSERT_THAT(machine.closed, SizeIs(1));
  EXPECT_THAT(machine.closed[0].what(), HasSubstr("fake1"));
}

}  // namespace
}  // namespace rdmabench
