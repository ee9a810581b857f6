#include "transport/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>

#include "transport/error.h"
#include "transport/locality.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;
using Cpus = std::vector<unsigned>;

// A software device on that interface.
DevicePosition Above(const char* netdev, const char* name) {
  return {.rdma_name = name, .pcie_address = {}, .netdev = netdev};
}

DevicePosition Named(const char* name) {
  return {.rdma_name = name, .pcie_address = {}, .netdev = {}};
}

// Machines as hwloc saves them. two_sockets: two packages of four cores, cpus n and n + 8 are
// siblings, mlx5_0 on node 0, mlx5_1 on node 1. container: the same, where only cpus 2, 3, 10, 11
// and the memory of node 0 may be used. two_nodes: two packages of two cores, eth1 on node 1,
// distances not known. eight_rails: two packages of four nodes of four cores, cpus n and n + 32 are
// siblings; two adapters each on nodes 3, 1, 7 and 5. virtual_machine: one node of four cpus,
// nothing on a bus.
Locality Saved(const std::string& topology) {
  return Locality::FromXml("transport/testdata/" + topology + ".xml");
}

struct Case {
  const char* name;
  const char* topology;
  PlacementRequest request;
  Placement expected;                         // but for the reasons
  std::vector<PlacementRequest> before = {};  // of the side's devices before this one
  std::vector<PlacementRequest> after = {};
};

Placement PlacementOf(const std::string& topology, const PlacementRequest& request,
                      std::vector<PlacementRequest> before,
                      const std::vector<PlacementRequest>& after = {}) {
  const std::size_t index = before.size();
  before.push_back(request);
  before.insert(before.end(), after.begin(), after.end());
  return Saved(topology).Place(before).at(index);
}

void PrintTo(const Case& row, std::ostream* stream) { *stream << row.name; }

class Places : public testing::TestWithParam<Case> {};

TEST_P(Places, AreThoseExpected) {
  const Case& row = GetParam();
  const Placement placement = PlacementOf(row.topology, row.request, row.before, row.after);
  EXPECT_EQ(placement.device_node, row.expected.device_node);
  EXPECT_EQ(placement.worker_cpus, row.expected.worker_cpus);
  EXPECT_EQ(placement.worker_nodes, row.expected.worker_nodes);
  EXPECT_EQ(placement.worker_cores, row.expected.worker_cores);
  EXPECT_EQ(placement.core_of_worker.size(), placement.worker_cpus.size());
  EXPECT_EQ(placement.session_cpu, row.expected.session_cpu);
  EXPECT_EQ(placement.memory_node, row.expected.memory_node);
  EXPECT_EQ(placement.distance, row.expected.distance);
}

Placement Expect(std::optional<unsigned> device_node, Cpus cpus, Cpus nodes, std::size_t cores,
                 std::optional<unsigned> session, std::optional<unsigned> memory,
                 std::optional<unsigned> distance) {
  return {.device_node = device_node,
          .worker_cpus = std::move(cpus),
          .worker_nodes = std::move(nodes),
          .worker_cores = cores,
          .session_cpu = session,
          .memory_node = memory,
          .distance = distance,
          .reasons = {}};
}

constexpr auto kNone = std::nullopt;

INSTANTIATE_TEST_SUITE_P(
    Machines, Places,
    testing::Values(
        Case{"two_sockets_near",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 2},
             Expect(1, {4, 5}, {1, 1}, 2, 7, 1, 10)},
        Case{"two_sockets_core_of_cpu0_last",
             "two_sockets",
             {.device = Named("mlx5_0"), .workers = 4},
             Expect(0, {1, 2, 3, 0}, {0, 0, 0, 0}, 4, 7, 0, 10)},
        Case{"two_sockets_siblings_after_cores",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 6},
             Expect(1, {4, 5, 6, 7, 12, 13}, {1, 1, 1, 1, 1, 1}, 4, 0, 1, 10)},
        Case{"two_sockets_interrupts_last",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 2, .busy_cpus = {4, 13}},
             Expect(1, {6, 7}, {1, 1}, 2, 5, 1, 10)},
        Case{"two_sockets_interrupts_everywhere",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 2, .busy_cpus = {4, 5, 6, 7}},
             Expect(1, {4, 5}, {1, 1}, 2, 7, 1, 10)},
        Case{"two_sockets_core_of_cpu0_after_interrupts",
             "two_sockets",
             {.device = Named("mlx5_0"), .workers = 3, .busy_cpus = {1, 2}},
             Expect(0, {3, 1, 2}, {0, 0, 0}, 3, 0, 0, 10)},
        Case{"two_sockets_other_node_by_choice",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 2, .choice = {.numa_node = 0}},
             Expect(1, {1, 2}, {0, 0}, 2, 0, 0, 21)},
        Case{"two_sockets_cpus_by_choice",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 2, .choice = {.cpus = {6, 2}}},
             Expect(1, {6, 2}, {1, 0}, 2, 7, 1, 21)},
        Case{"two_sockets_siblings_by_choice",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 2, .choice = {.cpus = {6, 14}}},
             Expect(1, {6, 14}, {1, 1}, 1, 7, 1, 10)},
        Case{"two_sockets_more_workers_than_chosen_cpus",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 3, .choice = {.cpus = {6, 5}}},
             Expect(1, {6, 5, 6}, {1, 1, 1}, 2, 7, 1, 10)},
        Case{"two_sockets_cpus_and_node_by_choice",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 1, .choice = {.cpus = {6}, .numa_node = 0}},
             Expect(1, {6}, {1}, 1, 0, 0, 21)},
        Case{"two_sockets_session_beside_cpus_of_another_devices_workers",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 1, .choice = {.cpus = {4, 7}}},
             Expect(1, {4}, {1}, 1, 6, 1, 10),
             /*before=*/{},
             /*after=*/{{.device = Named("mlx5_0"), .workers = 1, .choice = {.cpus = {7, 4}}}}},
        Case{"two_sockets_not_pinned",
             "two_sockets",
             {.device = Named("mlx5_1"), .workers = 2, .choice = {.pin = false}},
             Expect(1, {}, {}, 0, kNone, 1, 10)},
        Case{"eight_rails_first",
             "eight_rails",
             {.device = Named("mlx5_0"), .workers = 3},
             Expect(3, {12, 13, 14}, {3, 3, 3}, 3, 15, 3, 10)},
        Case{"eight_rails_same_node",
             "eight_rails",
             {.device = Named("mlx5_1"), .workers = 1, .busy_cpus = {12, 13}},
             Expect(3, {14}, {3}, 1, 13, 3, 10)},
        Case{"eight_rails_beside_another_devices_workers",
             "eight_rails",
             {.device = Named("mlx5_1"), .workers = 3},
             Expect(3, {14, 15, 46}, {3, 3, 3}, 2, 0, 3, 10),
             /*before=*/{{.device = Named("mlx5_0"), .workers = 2}}},
        Case{"eight_rails_second_socket",
             "eight_rails",
             {.device = Named("mlx5_9"), .workers = 4},
             Expect(5, {20, 21, 22, 23}, {5, 5, 5, 5}, 4, 0, 5, 10)},
        Case{"eight_rails_beyond_the_node",
             "eight_rails",
             {.device = Named("mlx5_6"), .workers = 9},
             Expect(7, {28, 29, 30, 31, 60, 61, 62, 63, 1}, {7, 7, 7, 7, 7, 7, 7, 7, 0}, 5, 0, 7,
                    32)},
        Case{"two_nodes_first_of_two_devices",
             "two_nodes",
             {.device = Above("eth1", "rxe0"), .workers = 1},
             Expect(1, {2}, {1}, 1, 0, 1, kNone),
             /*before=*/{},
             /*after=*/{{.device = Above("eth1", "rxe1"), .workers = 1}}},
        Case{"two_nodes_second_of_two_devices",
             "two_nodes",
             {.device = Above("eth1", "rxe1"), .workers = 1},
             Expect(1, {3}, {1}, 1, 0, 1, kNone),
             /*before=*/{{.device = Above("eth1", "rxe0"), .workers = 1}}},
        Case{"two_nodes_second_device_beyond_the_node",
             "two_nodes",
             {.device = Above("eth1", "rxe1"), .workers = 2},
             Expect(1, {1, 0}, {0, 0}, 2, kNone, 1, kNone),
             /*before=*/{{.device = Above("eth1", "rxe0"), .workers = 2}}},
        Case{"two_nodes_session_near_what_one_device_leaves",
             "two_nodes",
             {.device = Above("eth1", "rxe0"), .workers = 1},
             Expect(1, {2}, {1}, 1, 3, 1, kNone)},
        Case{"virtual_machine",
             "virtual_machine",
             {.device = Named("rxe0"), .workers = 2},
             Expect(kNone, {1, 2}, {}, 2, 0, kNone, kNone)},
        Case{"virtual_machine_taken_by_another_devices_workers",
             "virtual_machine",
             {.device = Named("rxe1"), .workers = 1},
             Expect(kNone, {1}, {}, 1, kNone, kNone, kNone),
             /*before=*/{{.device = Named("rxe0"), .workers = 4}}},
        Case{"virtual_machine_full",
             "virtual_machine",
             {.device = Named("rxe0"), .workers = 5},
             Expect(kNone, {1, 2, 3, 0, 1}, {}, 4, kNone, kNone, kNone)},
        Case{"container_near",
             "container",
             {.device = Named("mlx5_0"), .workers = 2},
             Expect(0, {2, 3}, {0, 0}, 2, 11, 0, 10)},
        Case{"container_without_the_devices_node",
             "container",
             {.device = Named("mlx5_1"), .workers = 1},
             Expect(1, {2}, {0}, 1, 3, 0, 21)}),
    [](const auto& row) { return row.param.name; });

struct Refused {
  const char* name;
  const char* topology;
  PlacementChoice choice;
  const char* asked;
  const char* usable;
};

void PrintTo(const Refused& row, std::ostream* stream) { *stream << row.name; }

class RefusedPlaces : public testing::TestWithParam<Refused> {};

TEST_P(RefusedPlaces, SayWhatExists) {
  const Refused& row = GetParam();
  const Locality locality = Saved(row.topology);
  EXPECT_THAT([&] { locality.Place({.device = Named("mlx5_0"), .choice = row.choice}); },
              ThrowsMessage<Error>(AllOf(HasSubstr(row.asked), HasSubstr(row.usable))));
}

INSTANTIATE_TEST_SUITE_P(
    Choices, RefusedPlaces,
    testing::Values(
        Refused{"no_such_cpu",
                "virtual_machine",
                {.cpus = {1, 9}},
                "--cpus names cpu 9",
                "usable: cpus 0-3"},
        Refused{"withheld_cpus",
                "container",
                {.cpus = {2, 4, 0}},
                "--cpus names cpus 0, 4",
                "usable: cpus 2, 3, 10, 11"},
        Refused{"no_such_node", "two_sockets", {.numa_node = 2}, "--numa-node 2", "used: 0, 1"},
        Refused{"withheld_node", "container", {.numa_node = 1}, "--numa-node 1", "used: 0"},
        Refused{"by_the_peer",
                "virtual_machine",
                {.cpus = {4}, .cpus_option = "--remote-cpus"},
                "--remote-cpus names cpu 4",
                "usable: cpus 0-3"}),
    [](const auto& row) { return row.param.name; });

TEST(PlacementReason, NamesTheOptionThatDecides) {
  const Placement placement = Saved("two_sockets")
                                  .Place({.device = Named("mlx5_1"),
                                          .workers = 2,
                                          .choice = {.cpus = {2, 3}, .numa_node = 0}});
  EXPECT_EQ(placement.Reason(),
            "mlx5_1 is on NUMA node 1; NUMA node 0 by --numa-node; workers on cpus 2, 3 by --cpus; "
            "session on cpu 0; memory on node 0");
}

std::string ReasonOf(const std::string& topology, const PlacementRequest& request,
                     const std::vector<PlacementRequest>& before) {
  return PlacementOf(topology, request, before).Reason();
}

TEST(PlacementReason, LeavesTheSessionToTheFirstDevice) {
  EXPECT_EQ(ReasonOf("two_sockets", {.device = Named("mlx5_1"), .workers = 2},
                     {{.device = Named("mlx5_0"), .workers = 1}}),
            "mlx5_1 is on NUMA node 1; workers on cpus 4, 5; memory on node 1");
}

TEST(PlacementReason, HasNoExcuseWhereTheSecondDevicesWorkerIsNear) {
  EXPECT_EQ(ReasonOf("two_nodes", {.device = Above("eth1", "rxe1"), .workers = 1},
                     {{.device = Above("eth1", "rxe0"), .workers = 1}}),
            "rxe1 is on NUMA node 1; workers on cpu 3; memory on node 1");
}

TEST(PlacementReason, SaysWhatOtherDevicesHaveTaken) {
  // All that there is.
  EXPECT_THAT(ReasonOf("virtual_machine", {.device = Named("rxe1"), .workers = 1},
                       {{.device = Named("rxe0"), .workers = 4}}),
              StartsWith("the machine has one NUMA node; workers on cpu 1, which other devices "
                         "have, too"));
  EXPECT_THAT(ReasonOf("virtual_machine", {.device = Named("rxe1"), .workers = 2},
                       {{.device = Named("rxe0"), .workers = 3}}),
              HasSubstr("; workers on cpus 0, 1, some of which other devices have, too"));
  // All of its node, and none of the other.
  EXPECT_THAT(ReasonOf("two_sockets", {.device = Named("mlx5_0"), .workers = 1},
                       {{.device = Named("mlx5_1"), .workers = 8, .choice = {.numa_node = 0}}}),
              StartsWith("mlx5_0 is on NUMA node 0, but other devices have taken the cpus of it; "
                         "workers on cpu 4;"));
}

TEST(PlacementReason, SaysThatThreadsAreNotPinned) {
  EXPECT_THAT(
      Saved("two_sockets").Place({.device = Named("mlx5_1"), .choice = {.pin = false}}).reasons,
      Contains(HasSubstr("not pinned, by --no-pin")));
}

TEST(PlacementReason, SaysWhichCoresHaveInterrupts) {
  EXPECT_THAT(
      Saved("two_sockets").Place({.device = Named("mlx5_1"), .busy_cpus = {4, 5, 1}}).reasons,
      Contains("cpus 4, 5 last, because of interrupts there"));
}

TEST(PlacementReason, SaysWhereMemoryIsWhenTheDevicesIsWithheld) {
  EXPECT_THAT(Saved("container").Place({.device = Named("mlx5_1")}).reasons,
              Contains("memory on node 0, since that of the device may not be used"));
}

TEST(Placement, HasTheCoreThatSiblingsShare) {
  const Placement placement =
      Saved("two_sockets")
          .Place({.device = Named("mlx5_1"), .workers = 3, .choice = {.cpus = {14, 5, 6}}});
  EXPECT_THAT(placement.core_of_worker, ElementsAre(6, 5, 6));
}

TEST(PlacementTree, MarksTheDeviceItsCoresAndItsMemory) {
  const Locality locality = Saved("two_sockets");
  const DevicePosition device = Named("mlx5_1");
  const Placement placement = locality.Place({.device = device, .workers = 1});
  EXPECT_EQ(locality.Tree(device, placement),
            "machine\n"
            "  package 0\n"
            "    NUMA node 0, 128.0 GiB\n"
            "    4 cores, cpus 0-3, 8-11\n"
            "    PCIe 0000:3b:00.0: mlx5_0, ens1f0np0\n"
            "  package 1\n"
            "    NUMA node 1, 128.0 GiB  <- memory\n"
            "    core, cpus 4, 12  <- worker on cpu 4\n"
            "    2 cores, cpus 5, 6, 13, 14\n"
            "    core, cpus 7, 15  <- session on cpu 7\n"
            "    PCIe 0000:af:00.0: mlx5_1, ens4f0np0  <- mlx5_1\n");
}

TEST(PlacementTree, ShowsWhatIsWithheld) {
  const Locality locality = Saved("container");
  const DevicePosition device = Named("mlx5_0");
  const std::string tree = locality.Tree(device, locality.Place({.device = device}));
  EXPECT_THAT(tree, HasSubstr("4 cores, cpus 4-7, 12-15  <- withheld from this process\n"));
  EXPECT_THAT(tree, HasSubstr("NUMA node 1, 128.0 GiB  <- withheld from this process\n"));
}

TEST(PlacementTree, SaysThatADeviceIsNotInIt) {
  const Locality locality = Saved("virtual_machine");
  const std::string tree =
      locality.Tree(Named("rxe0"), locality.Place({.device = Named("rxe0"), .workers = 5}));
  EXPECT_THAT(tree, HasSubstr("rxe0 has no place in this tree\n"));
  EXPECT_THAT(tree, HasSubstr("core, cpu 1  <- 2 workers\n"));
}

}  // namespace
}  // namespace rdmabench
