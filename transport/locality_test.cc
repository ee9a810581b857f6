#include "transport/locality.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>

#include "transport/error.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

DevicePosition Mlx5() { return {.rdma_name = "mlx5_0", .pcie_address = {}, .netdev = {}}; }

// rxe devices are in no topology by their own name.
DevicePosition RxeOnEth1() {
  return {.rdma_name = "rxe0", .pcie_address = "0000:3b:00.0", .netdev = "eth1"};
}
DevicePosition RxeOnEth0() {
  return {.rdma_name = "rxe0", .pcie_address = "0000:00:03.0", .netdev = "eth0"};
}

std::string Topology(const std::string& name) { return "transport/testdata/" + name + ".xml"; }

// Two packages, two cores each; mlx5_0 and eth1 under node 1; eth0 under none.
Locality TwoNodes(std::vector<unsigned> allowed = {}) {
  return Locality::FromXml(Topology("two_nodes"), allowed);
}

// Two packages, four cores each, two threads a core: cpus n and n + 8 are siblings. mlx5_0 under
// node 1.
Locality Hyperthreads(std::vector<unsigned> allowed = {}) {
  return Locality::FromXml(Topology("hyperthreads"), allowed);
}

Locality OneCore() { return Locality::FromXml(Topology("one_core")); }

Placement Put(const Locality& locality, const DevicePosition& device, std::size_t workers) {
  return locality.Place({.device = device, .workers = workers});
}

TEST(Locality, FindsTheNodeOfAnAdapterByItsName) { EXPECT_EQ(TwoNodes().NodeOf(Mlx5()), 1U); }

TEST(Locality, FindsTheNodeOfASoftwareDeviceByThePcieAddress) {
  EXPECT_EQ(TwoNodes().NodeOf(RxeOnEth1()), 1U);
}

TEST(Locality, FindsTheNodeOfASoftwareDeviceByItsInterface) {
  EXPECT_EQ(TwoNodes().NodeOf({.rdma_name = "rxe0", .pcie_address = {}, .netdev = "eth1"}), 1U);
}

TEST(Locality, KnowsNoNodeOfADeviceOnTheWholeMachine) {
  EXPECT_FALSE(TwoNodes().NodeOf(RxeOnEth0()));
}

TEST(Locality, KnowsNoNodeOfADeviceItDoesNotHave) {
  EXPECT_FALSE(TwoNodes().NodeOf({.rdma_name = "mlx5_7", .pcie_address = {}, .netdev = {}}));
}

TEST(Locality, HasOneNodeInASmallMachine) { EXPECT_EQ(OneCore().NodeOf(RxeOnEth0()), 0U); }

TEST(Locality, ListsTheCpusOfANode) { EXPECT_THAT(TwoNodes().CpusNear(1), ElementsAre(2, 3)); }

TEST(Locality, ListsCoreZeroLast) { EXPECT_THAT(TwoNodes().CpusNear(0), ElementsAre(1, 0)); }

TEST(Locality, ListsAllCpusWithoutANode) {
  EXPECT_THAT(TwoNodes().CpusNear(std::nullopt), ElementsAre(1, 2, 3, 0));
}

TEST(Locality, ListsNoneOfANodeThatIsNotThere) { EXPECT_THAT(TwoNodes().CpusNear(9), IsEmpty()); }

TEST(Locality, ListsSiblingsAfterAllCores) {
  EXPECT_THAT(Hyperthreads().CpusNear(0), ElementsAre(1, 2, 3, 0, 9, 10, 11, 8));
}

TEST(Locality, ListsOnlyWhatTheAffinityAllows) {
  EXPECT_THAT(Hyperthreads({4, 6, 12, 1}).CpusNear(1), ElementsAre(4, 6, 12));
}

TEST(Locality, ListsASiblingFirstWhoseCoreIsNotAllowedOtherwise) {
  EXPECT_THAT(Hyperthreads({13, 6}).CpusNear(1), ElementsAre(13, 6));
}

TEST(Place, PutsWorkersOnDistinctCoresOfTheDevicesNode) {
  const Placement placement = Put(Hyperthreads(), Mlx5(), 3);
  EXPECT_EQ(placement.device_node, 1U);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(4, 5, 6));
}

TEST(Place, PutsMemoryOnTheDevicesNode) { EXPECT_EQ(Put(TwoNodes(), Mlx5(), 1).memory_node, 1U); }

TEST(Place, PutsMemoryNearTheFirstWorkerWhenTheDevicesNodeIsNotKnown) {
  const Placement placement = Put(TwoNodes({2, 3}), RxeOnEth0(), 1);
  EXPECT_FALSE(placement.device_node);
  EXPECT_EQ(placement.memory_node, 1U);
}

TEST(Place, ChoosesNoMemoryNodeWhereThereIsOne) {
  EXPECT_FALSE(Put(OneCore(), RxeOnEth0(), 1).memory_node);
}

TEST(Place, GivesTheSessionACoreOfItsOwnOnTheNode) {
  EXPECT_EQ(Put(Hyperthreads(), Mlx5(), 3).session_cpu, 7U);
}

TEST(Place, GivesTheSessionCoreZeroWhereItIsNear) {
  EXPECT_EQ(Put(TwoNodes(), RxeOnEth0(), 2).session_cpu, 0U);
}

TEST(Place, GivesTheSessionACoreOfAnotherNodeBeforeASibling) {
  EXPECT_EQ(Put(Hyperthreads(), Mlx5(), 4).session_cpu, 0U);
}

TEST(Place, GivesTheSessionASiblingWhenAllCoresWork) {
  const Placement placement = Put(Hyperthreads({4, 12}), Mlx5(), 1);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(4));
  EXPECT_EQ(placement.session_cpu, 12U);
}

TEST(Place, GivesTheSessionNothingOnOneCore) {
  const Placement placement = Put(OneCore(), RxeOnEth0(), 1);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(0));
  EXPECT_FALSE(placement.session_cpu);
}

TEST(Place, GoesToOtherNodesBeforeSharing) {
  const Placement placement = Put(TwoNodes(), Mlx5(), 3);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(2, 3, 1));
  EXPECT_THAT(placement.Reason(), HasSubstr("some of them on other nodes"));
}

TEST(Place, SharesCpusWhenWorkersAreMore) {
  const Placement placement = Put(TwoNodes(), Mlx5(), 5);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(2, 3, 1, 0, 2));
  EXPECT_THAT(placement.Reason(), HasSubstr("which they share"));
}

TEST(Place, SaysWhenTheAffinityExcludesTheDevicesNode) {
  const Placement placement = Put(TwoNodes({0, 1}), Mlx5(), 1);
  EXPECT_THAT(placement.worker_cpus, ElementsAre(1));
  EXPECT_THAT(placement.Reason(), HasSubstr("may use none of its cpus"));
}

TEST(Place, ExplainsItself) {
  EXPECT_EQ(Put(TwoNodes(), Mlx5(), 1).Reason(),
            "mlx5_0 is on NUMA node 1; workers on cpu 2; session on cpu 3; memory on node 1");
}

TEST(Place, SaysWhatIsNotKnown) {
  EXPECT_THAT(Put(TwoNodes(), RxeOnEth0(), 1).Reason(),
              HasSubstr("the NUMA node of rxe0 is not known"));
}

TEST(Locality, FailsOnAFileThatIsNotThere) {
  EXPECT_THAT([] { Locality::FromXml("/nonexistent.xml"); },
              ThrowsMessage<Error>(HasSubstr("/nonexistent.xml")));
}

TEST(Locality, OffersOfThisMachineOnlyWhatThisThreadMayUse) {
  const std::vector<unsigned> all = Locality().CpusNear(std::nullopt);
  ASSERT_FALSE(all.empty());
  std::vector<unsigned> narrowed;
  std::thread([&] {
    Locality().PinThisThread(all.back());
    narrowed = Locality().CpusNear(std::nullopt);
  }).join();
  EXPECT_THAT(narrowed, ElementsAre(all.back()));
}

TEST(Locality, PinsTheCallingThread) {
  const Locality locality;
  const unsigned cpu = locality.CpusNear(std::nullopt).front();
  int pinned = -1;
  std::thread([&] {
    locality.PinThisThread(cpu);
    pinned = sched_getcpu();
  }).join();
  EXPECT_EQ(pinned, static_cast<int>(cpu));
}

TEST(Locality, SaysWhichCpuIsNotToBeHad) {
  EXPECT_THAT([] { Locality().PinThisThread(100000); },
              ThrowsMessage<Error>(HasSubstr("cannot pin a thread to cpu 100000")));
}

}  // namespace
}  // namespace rdmabench
