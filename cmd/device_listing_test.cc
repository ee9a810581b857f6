#include "cmd/device_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cmd/sample_devices.h"
#include "report/golden_file.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::ThrowsMessage;

// The commit of the build is not the same tomorrow.
std::string WithoutCommit(const std::string& text) {
  auto document = nlohmann::ordered_json::parse(text);
  document["tool"]["commit"] = "unknown";
  return document.dump(2) + "\n";
}

class ListingTest : public testing::Test {
 protected:
  ~ListingTest() override { EXPECT_EQ(fake::LiveObjects(), 0U); }
};

TEST_F(ListingTest, HasWhatAProbeFindsOfEachDevice) {
  fake::Reset({{.name = "fake0", .max_inline = 220}, {.name = "fake1"}});
  const DeviceListing listing = ListTheDevices({});
  ASSERT_EQ(listing.devices.size(), 2U);
  EXPECT_EQ(listing.devices[0].info.name, "fake0");
  EXPECT_EQ(listing.devices[0].max_inline_bytes, 220U);
  EXPECT_FALSE(listing.devices[1].local_cpus.empty());
  ASSERT_FALSE(listing.devices[1].memory_kinds.empty());
  EXPECT_EQ(listing.devices[1].memory_kinds.front().name, "host");
  EXPECT_TRUE(listing.skipped.empty());
}

TEST_F(ListingTest, HasADeviceWhosePortIsDown) {
  fake::Reset({{.name = "fake0", .state = IBV_PORT_DOWN}});
  const DeviceListing listing = ListTheDevices({});
  ASSERT_EQ(listing.devices.size(), 1U);
  EXPECT_THAT(DevicesText(listing), HasSubstr("down"));
}

TEST_F(ListingTest, HasTheRestWhereADeviceIsBroken) {
  fake::Reset({{.name = "fake0"}, {.name = "fake1"}});
  fake::Inject({.failing_call = "ibv_query_port", .failing_errno = EIO, .failing_after = 1});
  const DeviceListing listing = ListTheDevices({});
  ASSERT_EQ(listing.devices.size(), 1U);
  ASSERT_EQ(listing.skipped.size(), 1U);
  EXPECT_THAT(listing.skipped.front().what(), HasSubstr("port 1 of fake1"));
}

TEST_F(ListingTest, HasTheOneThatIsAskedFor) {
  fake::Reset({{.name = "fake0"}, {.name = "fake1"}});
  const DeviceListing listing = ListTheDevices({"fake1"});
  ASSERT_EQ(listing.devices.size(), 1U);
  EXPECT_EQ(listing.devices.front().info.name, "fake1");
  EXPECT_THAT(
      [] {
        ListTheDevices({"fake0", "fake7"});
      },
      ThrowsMessage<Error>(HasSubstr("there are: fake0, fake1")));
}

TEST_F(ListingTest, HasThePortThatIsNamedWithItsDevice) {
  fake::Reset({{.name = "fake0"}, {.name = "fake1"}});
  const DeviceListing listing = ListTheDevices({"fake1:1"});
  ASSERT_EQ(listing.devices.size(), 1U);
  EXPECT_EQ(listing.devices.front().info.name, "fake1");
  ASSERT_EQ(listing.devices.front().info.ports.size(), 1U);
  EXPECT_EQ(listing.devices.front().info.ports.front().number, 1);
}

// In the words that a run has for them.
TEST_F(ListingTest, RefusesWhatARunRefuses) {
  fake::Reset({{.name = "fake0"}, {.name = "fake1"}});
  const std::pair<std::vector<std::string>, std::string> rows[] = {
      {{"fake0:2"}, "fake0 has no port 2; it has port 1 only"},
      {{"fake0:x"}, "\"fake0:x\" is no device and port"},
      {{"fake7:1"}, "is named \"fake7\"; there are: fake0, fake1"},
      {{"fake0", "fake0"}, "--ib-dev fake0,fake0 names fake0 twice"},
      {{"fake0:1", "fake0"}, "names fake0 twice"},
      {{"fake0", "fake0:1"}, "names fake0 port 1 twice"},
  };
  for (const auto& row : rows) {
    EXPECT_THAT([&] { ListTheDevices(row.first); }, ThrowsMessage<Error>(HasSubstr(row.second)));
  }
}

TEST(DevicesText, IsAsBefore) {
  ExpectGolden(DevicesText(SampleDevices()), "cmd/testdata/devices.txt");
}

TEST(DevicesText, SaysThatALinkSpeedIsNotKnown) {
  DeviceListing listing = SampleDevices();
  listing.devices.resize(1);
  EXPECT_THAT(DevicesText(listing), Not(HasSubstr("not known")));
  listing.devices.front().info.ports.front().link_gbps.reset();
  EXPECT_THAT(DevicesText(listing), HasSubstr("not known"));
}

TEST(DevicesText, NamesTheHopThatIsSlowerThanTheDevice) {
  DeviceListing listing = SampleDevices();
  EXPECT_THAT(DevicesText(listing), HasSubstr("gen4 x16, gen3 x8 at 0000:3a:00.0"));
  auto& path = listing.devices.front().info.pcie_path;
  path[1].now = path[0].now;
  EXPECT_THAT(DevicesText(listing), Not(HasSubstr("0000:3a:00.0")));
}

TEST(DevicesText, SaysOnceWhatIsTrueOfSeveralDevices) {
  const std::string text = DevicesText(SampleDevices());
  EXPECT_THAT(text, ContainsRegex("odp +mlx5_0 +yes"));
  EXPECT_THAT(text, ContainsRegex("odp +mlx4_0, rxe0 +no: the device has no on-demand paging"));
  EXPECT_THAT(text, ContainsRegex("cuda +all +no: no libcuda"));
}

TEST(DevicesJson, IsAsBefore) {
  ExpectGolden(WithoutCommit(DevicesJson(SampleDevices())), "cmd/testdata/devices.json");
}

TEST(DevicesJson, IsAValidDocumentWithoutAnyDevice) {
  EXPECT_TRUE(nlohmann::json::parse(DevicesJson({})).at("devices").empty());
}

TEST(DevicesJson, SurvivesNamesThatAreNoText) {
  DeviceListing listing = SampleDevices();
  listing.devices.front().info.firmware = "\xff\n";
  const auto document = nlohmann::json::parse(DevicesJson(listing));
  EXPECT_EQ(document.at("devices").at(0).at("firmware"), "\uFFFD\n");
}

TEST(NetdevOf, IsThatOfTheGidsWhereThePortIsNotTheFirst) {
  const ListedDevice device = SampleDevices().devices[1];
  EXPECT_EQ(NetdevOf(device.info, device.info.ports[0]), "eth2");
  EXPECT_EQ(NetdevOf(device.info, device.info.ports[1]), "eth3");
}

}  // namespace
}  // namespace rdmabench
