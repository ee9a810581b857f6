#include "transport/pcie.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

// Configuration space of a function whose PCI Express capability follows another one.
std::string Config(unsigned max_payload_code) {
  std::string config(256, '\0');
  config[0x06] = 0x10;  // it has capabilities
  config[0x34] = 0x40;  // the first: power management
  config[0x40] = 0x01;
  config[0x41] = 0x60;  // the next: PCI Express
  config[0x60] = 0x10;
  config[0x68] = static_cast<char>(max_payload_code << 5U | 0x10U);
  return config;
}

class PcieTest : public testing::Test {
 protected:
  PcieTest()
      : root_(fs::path(testing::TempDir()) /
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    fs::create_directories(root_ / kFunction);
    fs::create_directories(root_ / "bus/pci/devices");
    fs::create_symlink(root_ / kFunction, root_ / "bus/pci/devices/0000:3b:00.0");
  }
  ~PcieTest() override { fs::remove_all(root_); }

  void Write(const fs::path& path, const std::string& text) const {
    std::ofstream(root_ / path, std::ios::binary) << text;
  }
  void Link(const fs::path& function, const std::string& speed, const std::string& width,
            const std::string& which = "current") const {
    Write(function / (which + "_link_speed"), speed + "\n");
    Write(function / (which + "_link_width"), width + "\n");
  }
  std::vector<PcieHop> Path() const { return ReadPciePath(root_.string(), "0000:3b:00.0"); }
  std::optional<PcieLink> Read() const { return ReadPcie(root_.string(), "0000:3b:00.0"); }

  static constexpr const char* kBridge = "devices/pci0000:3a/0000:3a:00.0";
  static constexpr const char* kFunction = "devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0";

 private:
  fs::path root_;
};

TEST_F(PcieTest, TellsTheDevicesLink) {
  Link(kFunction, "16.0 GT/s PCIe", "16");
  Write(fs::path(kFunction) / "config", Config(1));
  EXPECT_EQ(Read(), (PcieLink{16.0, 16, 256}));
}

TEST_F(PcieTest, TellsTheSlowestLinkOnTheWayToTheRoot) {
  Link(kFunction, "16.0 GT/s PCIe", "16");
  Link(kBridge, "8.0 GT/s PCIe", "8");
  EXPECT_EQ(Read(), (PcieLink{8.0, 8, {}}));
}

TEST_F(PcieTest, TellsEveryHopWithWhatItCouldDo) {
  Link(kFunction, "8.0 GT/s PCIe", "8");
  Link(kFunction, "16.0 GT/s PCIe", "16", "max");
  Link(kBridge, "8.0 GT/s PCIe", "8");
  Link(kBridge, "8.0 GT/s PCIe", "8", "max");
  const PcieLink gen3{8.0, 8, {}};
  const std::vector<PcieHop> expected = {{"0000:3b:00.0", gen3, PcieLink{16.0, 16, {}}},
                                         {"0000:3a:00.0", gen3, gen3}};
  EXPECT_EQ(Path(), expected);
  EXPECT_EQ(SlowestHop(expected), &expected[0]) << "of equals the one nearest the device";
}

TEST_F(PcieTest, HasTheHopsOfAFunctionWithoutALink) {
  Link(kFunction, "Unknown", "0");  // as virtual functions have it
  Link(kFunction, "Unknown", "255", "max");
  Link(kBridge, "16.0 GT/s PCIe", "4");
  const std::vector<PcieHop> path = Path();
  ASSERT_EQ(path.size(), 2U);
  EXPECT_FALSE(path[0].now || path[0].most);
  ASSERT_NE(SlowestHop(path), nullptr);
  EXPECT_EQ(SlowestHop(path)->address, "0000:3a:00.0");
}

TEST_F(PcieTest, HasNoPathFromAFunctionThatIsNotThere) {
  EXPECT_TRUE(ReadPciePath("/nonexistent", "0000:3b:00.0").empty());
  EXPECT_EQ(SlowestHop({}), nullptr);
}

TEST(Pcie, KnowsTheGenerationsByTheirRates) {
  EXPECT_EQ(PcieGeneration({2.5, 1, {}}), 1U);
  EXPECT_EQ(PcieGeneration({16.0, 16, {}}), 4U);
  EXPECT_EQ(PcieGeneration({64.0, 16, {}}), 6U);
  EXPECT_FALSE(PcieGeneration({12.0, 16, {}}));
}

TEST_F(PcieTest, DoesNotKnowThePayloadThatOnlyRootMayRead) {
  Link(kFunction, "16.0 GT/s PCIe", "16");
  Write(fs::path(kFunction) / "config", Config(1).substr(0, 64));
  EXPECT_EQ(Read(), (PcieLink{16.0, 16, {}}));
}

TEST_F(PcieTest, DoesNotGoRoundInCapabilitiesThatPointAtEachOther) {
  Link(kFunction, "16.0 GT/s PCIe", "16");
  std::string config = Config(1);
  config[0x41] = 0x40;
  Write(fs::path(kFunction) / "config", config);
  EXPECT_EQ(Read(), (PcieLink{16.0, 16, {}}));
}

TEST_F(PcieTest, KnowsNothingOfALinkThatIsNotTold) {
  EXPECT_FALSE(Read());
  Link(kFunction, "Unknown", "0");  // as virtual functions have it
  EXPECT_FALSE(Read());
  EXPECT_FALSE(ReadPcie("/nonexistent", "0000:3b:00.0"));
}

TEST_F(PcieTest, DoesNotTakeWhatIsReservedInAVirtualFunctionForItsPayload) {
  Link(kFunction, "Unknown", "0");
  Write(fs::path(kFunction) / "config", Config(0));
  Link(kBridge, "16.0 GT/s PCIe", "16");
  EXPECT_EQ(Read(), (PcieLink{16.0, 16, {}}));
}

// By hand: rate × lanes × code / 8, and of that the payload's share of each packet. The third is
// Neugebauer et al., "Understanding PCIe performance for end host networking" (SIGCOMM 2018): 24
// bytes a write, 20 a completion, 62.96 Gb/s before them on a link of eight lanes of generation 3.
struct Known {
  std::string name;
  PcieLink link;
  PcieTransfer transfer;
  std::uint64_t message_bytes;
  double gbps;
};

class PcieRate : public testing::TestWithParam<Known> {};

TEST_P(PcieRate, IsThePayloadsShareOfTheLink) {
  const Known& known = GetParam();
  const auto rate = PcieBytesPerSecond(known.link, known.transfer, known.message_bytes);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(*rate * 8e-9, known.gbps, known.gbps * 1e-4);
}

INSTANTIATE_TEST_SUITE_P(
    All, PcieRate,
    testing::Values(
        // 252.0615 Gb/s × 256/280
        Known{"gen4_x16_writes", {16.0, 16, 256}, PcieTransfer::kDeviceWrites, 65536, 230.4563},
        // 252.0615 Gb/s × 256/276
        Known{"gen4_x16_reads", {16.0, 16, 256}, PcieTransfer::kDeviceReads, 65536, 233.7962},
        // 63.0154 Gb/s × 64/88
        Known{"gen3_x8_small_writes", {8.0, 8, 256}, PcieTransfer::kDeviceWrites, 64, 45.8294},
        // 32 Gb/s × 128/148
        Known{"gen2_x8_reads", {5.0, 8, 128}, PcieTransfer::kDeviceReads, 4096, 27.6757},
        // 944 Gb/s × 512/528: in flits a packet has no framing
        Known{"gen6_x16_writes", {64.0, 16, 512}, PcieTransfer::kDeviceWrites, 4096, 915.3939},
        // 504.1231 Gb/s × 4096/4116: the largest packet that there is
        Known{"gen5_x16_unknown_payload",
              {32.0, 16, {}},
              PcieTransfer::kDeviceReads,
              65536,
              501.6735}),
    [](const auto& row) { return row.param.name; });

TEST(Pcie, DoesNotKnowTheRateOfAGenerationThatIsNone) {
  EXPECT_FALSE(PcieBytesPerSecond({12.0, 16, 256}, PcieTransfer::kDeviceReads, 64));
  EXPECT_FALSE(PcieBytesPerSecond({16.0, 16, 256}, PcieTransfer::kDeviceReads, 0));
}

}  // namespace
}  // namespace rdmabench
