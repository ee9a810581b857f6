#include "transport/device_sysfs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

// A copy of sysfs's structure in the test's own directory.
class Sysfs : public ::testing::Test {
 protected:
  Sysfs()
      : root_(fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~Sysfs() override { fs::remove_all(root_); }

  void Write(const fs::path& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text << "\n";
  }
  void Directory(const fs::path& path) { fs::create_directories(root_ / path); }
  void Link(const fs::path& path, const fs::path& target) {
    fs::create_directories((root_ / path).parent_path());
    fs::create_symlink(root_ / target, root_ / path);
  }
  // A PCI function with its driver, and an RDMA device on it.
  void Adapter(const std::string& name, const std::string& address, const std::string& driver) {
    const fs::path function = fs::path("devices/pci0000:3a/0000:3a:00.0") / address;
    Directory(function);
    Directory("bus/pci/drivers/" + driver);
    Link(function / "driver", "bus/pci/drivers/" + driver);
    Write("class/infiniband/" + name + "/node_type", "1: CA");
    Link("class/infiniband/" + name + "/device", function);
  }
  SysfsFacts Read(std::string_view device) const { return ReadSysfs(root_.string(), device); }

 private:
  fs::path root_;
};

TEST_F(Sysfs, NamesTheDriverOfAnAdapter) {
  Adapter("mlx5_0", "0000:3b:00.0", "mlx5_core");
  EXPECT_EQ(Read("mlx5_0").driver, "mlx5_core");
}

TEST_F(Sysfs, NamesThePcieAddressOfAnAdapter) {
  Adapter("mlx5_0", "0000:3b:00.0", "mlx5_core");
  EXPECT_EQ(Read("mlx5_0").pcie_address, "0000:3b:00.0");
}

TEST_F(Sysfs, TakesTheOnlyInterfaceOfTheFunction) {
  Adapter("mlx5_0", "0000:3b:00.0", "mlx5_core");
  Write("class/infiniband/mlx5_0/device/net/eth2/dev_id", "0x0");
  EXPECT_EQ(Read("mlx5_0").netdev, "eth2");
}

TEST_F(Sysfs, TakesTheInterfaceOfTheFirstPort) {
  Adapter("mlx4_0", "0000:3b:00.0", "mlx4_core");
  Write("class/infiniband/mlx4_0/device/net/eth1/dev_port", "1");
  Write("class/infiniband/mlx4_0/device/net/eth2/dev_port", "0");
  EXPECT_EQ(Read("mlx4_0").netdev, "eth2");
}

TEST_F(Sysfs, PrefersTheInterfaceOfTheGids) {
  Adapter("mlx5_bond_0", "0000:3b:00.0", "mlx5_core");
  Write("class/infiniband/mlx5_bond_0/device/net/eth2/dev_port", "0");
  Write("class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", "bond0");
  EXPECT_EQ(Read("mlx5_bond_0").netdev, "bond0");
}

TEST_F(Sysfs, KnowsRxeByItsParent) {
  Write("class/infiniband/rxe0/parent", "eth1");
  const SysfsFacts facts = Read("rxe0");
  EXPECT_EQ(facts.driver, "rdma_rxe");
  EXPECT_EQ(facts.netdev, "eth1");
}

TEST_F(Sysfs, DoesNotTakeTheNetdevsDriverForRxes) {
  Adapter("rxe0", "0000:00:03.0", "virtio-pci");
  Write("class/infiniband/rxe0/parent", "eth1");
  EXPECT_EQ(Read("rxe0").driver, "rdma_rxe");
}

TEST_F(Sysfs, PutsRxeWhereItsVirtioNetdevIs) {
  Write("class/infiniband/rxe0/parent", "eth1");
  Directory("devices/pci0000:00/0000:00:03.0/virtio0");
  Link("class/net/eth1/device", "devices/pci0000:00/0000:00:03.0/virtio0");
  EXPECT_EQ(Read("rxe0").pcie_address, "0000:00:03.0");
}

TEST_F(Sysfs, PutsRxeOnLoopbackNowhere) {
  Write("class/infiniband/rxe_lo/parent", "lo");
  Directory("class/net/lo");
  EXPECT_FALSE(Read("rxe_lo").pcie_address);
}

TEST_F(Sysfs, KnowsSiwByItsDescription) {
  Adapter("siw0", "0000:00:03.0", "virtio-pci");
  Write("class/infiniband/siw0/node_desc", "Software iWARP stack");
  EXPECT_EQ(Read("siw0").driver, "siw");
}

TEST_F(Sysfs, KnowsSiwByWhatItLacks) {
  Write("class/infiniband/siw0/node_type", "4: RNIC");
  Write("class/infiniband/siw0/node_desc", "host siw0");
  EXPECT_EQ(Read("siw0").driver, "siw");
}

TEST_F(Sysfs, BelievesTheSpeedOfAnInterfaceOnADevice) {
  Write("class/infiniband/rxe0/parent", "eth1");
  Write("class/net/eth1/speed", "25000");
  EXPECT_FALSE(Read("rxe0").netdev_gbps) << "a virtual interface makes it up";
  Directory("devices/pci0000:00/0000:00:03.0");
  Link("class/net/eth1/device", "devices/pci0000:00/0000:00:03.0");
  EXPECT_EQ(Read("rxe0").netdev_gbps, 25.0);
}

TEST_F(Sysfs, BelievesTheSpeedOfABond) {
  Write("class/infiniband/mlx5_bond_0/ports/1/gid_attrs/ndevs/0", "bond0");
  Write("class/net/bond0/speed", "200000");
  Write("class/net/bond0/bonding/mode", "802.3ad 4");
  EXPECT_EQ(Read("mlx5_bond_0").netdev_gbps, 200.0);
}

TEST_F(Sysfs, DoesNotTakeMinusOneForASpeed) {
  Write("class/infiniband/rxe0/parent", "eth1");
  Write("class/net/eth1/speed", "-1");  // as virtio has it
  Directory("devices/pci0000:00/0000:00:03.0/virtio0");
  Link("class/net/eth1/device", "devices/pci0000:00/0000:00:03.0/virtio0");
  EXPECT_FALSE(Read("rxe0").netdev_gbps);
}

TEST_F(Sysfs, KnowsNothingOfADeviceThatIsNotThere) {
  const SysfsFacts facts = Read("mlx5_9");
  EXPECT_TRUE(facts.driver.empty());
  EXPECT_TRUE(facts.netdev.empty());
  EXPECT_FALSE(facts.pcie_address);
  EXPECT_FALSE(facts.netdev_gbps);
}

TEST_F(Sysfs, TellsTheRateOfAPort) {
  Write("class/infiniband/mlx5_0/ports/2/rate", "800 Gb/sec (4X XDR)");
  const std::string root = ::testing::TempDir() + "/TellsTheRateOfAPort";
  EXPECT_EQ(PortRate(root, "mlx5_0", 2), "800 Gb/sec (4X XDR)");
  EXPECT_EQ(PortRate(root, "mlx5_0", 1), "");
}

TEST_F(Sysfs, ListsTheKernelsDevices) {
  Write("class/infiniband/rxe1/parent", "eth1");
  Write("class/infiniband/rxe0/parent", "eth0");
  EXPECT_THAT(KernelDevices(::testing::TempDir() + "/ListsTheKernelsDevices"),
              ::testing::ElementsAre("rxe0", "rxe1"));
}

TEST_F(Sysfs, ListsNoneWithoutTheSubsystem) { EXPECT_TRUE(KernelDevices("/nonexistent").empty()); }

}  // namespace
}  // namespace rdmabench
