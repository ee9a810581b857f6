#include "transport/netdev_mtu.h"

#include <gtest/gtest.h>

#include "transport/machine_tree.h"

namespace rdmabench {
namespace {

TEST(NetdevMtu, IsReadOfTheInterfaceThatIsNamed) {
  MachineTree tree("netdev_mtu");
  const FileTree files(tree.root());
  tree.Write("/sys/class/net/eth1/mtu", "9000");
  tree.Write("/sys/class/net/eth2/mtu", "1500");
  EXPECT_EQ(MtuFile("eth1"), "/sys/class/net/eth1/mtu");
  EXPECT_EQ(MtuOf(files, "eth1"), 9000U);
  EXPECT_EQ(MtuOf(files, "eth2"), 1500U);
}

TEST(NetdevMtu, IsNotKnownWhereThereIsNone) {
  MachineTree tree("no_netdev_mtu");
  const FileTree files(tree.root());
  tree.Write("/sys/class/net/mtu", "1");
  tree.Write("/sys/class/net/eth1/mtu", "0");
  for (const char* netdev : {"", "eth0", "eth1"}) {
    EXPECT_EQ(MtuOf(files, netdev), std::nullopt) << netdev;
  }
}

}  // namespace
}  // namespace rdmabench
