#include "bench/placement_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <utility>
#include <vector>

#include "transport/placement.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

report::Host GoodHost(const std::string& role) {
  report::Host host;
  host.role = role;
  host.boot_id = role;
  host.device = report::Device{.name = "mlx5_0"};
  host.placement = report::Placement{.device_node = 1,
                                     .worker_cpus = {4, 5},
                                     .worker_nodes = {1, 1},
                                     .worker_cores = 2,
                                     .ran_on_cpus = {4, 5},
                                     .session_cpu = 6,
                                     .memory_node = 1,
                                     .pages_on_node = 1.0,
                                     .distance = 10,
                                     .reason = "near"};
  return host;
}

std::vector<report::Host> GoodHosts() { return {GoodHost("client"), GoodHost("server")}; }

TEST(PlacementWarnings, AreNoneWhereAllIsNear) {
  EXPECT_THAT(PlacementWarnings(GoodHosts()), IsEmpty());
}

TEST(PlacementWarnings, AreNoneOfWhatIsNotKnown) {
  std::vector<report::Host> hosts = GoodHosts();
  for (report::Host& host : hosts) {
    host.boot_id.reset();
    host.placement = report::Placement{};
  }
  EXPECT_THAT(PlacementWarnings(hosts), IsEmpty());
  hosts[0].placement.reset();
  hosts[1].device.reset();
  EXPECT_THAT(PlacementWarnings(hosts), IsEmpty());
}

// A second device on node 0, with workers of its own.
std::vector<report::Host> HostsWithTwoDevices() {
  std::vector<report::Host> hosts = GoodHosts();
  for (report::Host& host : hosts) {
    host.rails = {{.device = *host.device, .placement = *host.placement},
                  {.device = {.name = "mlx5_1"}, .placement = *host.placement}};
    report::Placement& second = host.rails[1].placement;
    second.device_node = second.memory_node = 0;
    second.worker_cpus = second.ran_on_cpus = {1, 2};
    second.worker_nodes = {0, 0};
  }
  return hosts;
}

TEST(PlacementWarnings, LookAtEachOfSeveralDevices) {
  std::vector<report::Host> hosts = HostsWithTwoDevices();
  EXPECT_THAT(PlacementWarnings(hosts), IsEmpty());
  hosts[1].rails[1].placement.memory_node = 1;
  EXPECT_THAT(PlacementWarnings(hosts),
              ElementsAre(HasSubstr("server: the memory is on NUMA node 1, mlx5_1 is on")));
}

TEST(PlacementWarnings, SayThatWorkersOfSeveralDevicesShareACpu) {
  std::vector<report::Host> hosts = HostsWithTwoDevices();
  hosts[0].rails[1].placement.worker_cpus = hosts[0].rails[1].placement.ran_on_cpus = {1, 4};
  EXPECT_THAT(PlacementWarnings(hosts),
              ElementsAre(HasSubstr("client: 4 workers of 2 devices share 3 cpus")));
}

Placement Workers(std::vector<unsigned> cpus, std::vector<unsigned> cores) {
  Placement placement;
  placement.worker_cpus = std::move(cpus);
  placement.worker_cores = cores.size();
  placement.core_of_worker = std::move(cores);
  return placement;
}

TEST(CoresSharedByDevices, AreThoseOfSiblings) {
  EXPECT_EQ(CoresSharedByDevices(std::vector{Workers({4, 5}, {4, 5}), Workers({6}, {6})}), "");
  EXPECT_THAT(CoresSharedByDevices(std::vector{Workers({4, 5}, {4, 5}), Workers({12}, {4})}),
              HasSubstr("3 workers of 2 devices share 2 cores"));
}

TEST(CoresSharedByDevices, AreLeftToTheWarningOfSharedCpus) {
  EXPECT_EQ(CoresSharedByDevices(std::vector{Workers({4}, {4}), Workers({4}, {4})}), "");
}

struct Cause {
  const char* name;
  void (*plant)(report::Placement&);
  const char* words;
};

void PrintTo(const Cause& cause, std::ostream* stream) { *stream << cause.name; }

class PlantedPlacement : public testing::TestWithParam<Cause> {};

// Each gives exactly its warning, which says whose it is.
TEST_P(PlantedPlacement, IsWarnedAbout) {
  for (std::size_t side : {0U, 1U}) {
    std::vector<report::Host> hosts = GoodHosts();
    GetParam().plant(*hosts[side].placement);
    EXPECT_THAT(PlacementWarnings(hosts),
                ElementsAre(HasSubstr(hosts[side].role + ": " + GetParam().words)));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Causes, PlantedPlacement,
    testing::Values(
        Cause{"a_worker_elsewhere",
              [](report::Placement& placement) {
                placement.worker_nodes = {1, 0};
                placement.distance = 21;
              },
              "1 worker is on another node (cpu 5), mlx5_0 is on NUMA node 1 (distance 21, of its "
              "own node 10)"},
        Cause{"all_workers_elsewhere",
              [](report::Placement& placement) {
                placement.worker_nodes = {0, 0};
                placement.distance.reset();
              },
              "2 workers are on another node (cpu 4, 5), mlx5_0 is on NUMA node 1"},
        Cause{"memory_elsewhere",
              [](report::Placement& placement) {
                placement.memory_node = 0;
                placement.distance = 21;
              },
              "the memory is on NUMA node 0, mlx5_0 is on NUMA node 1 (distance 21"},
        Cause{"pages_elsewhere",
              [](report::Placement& placement) { placement.pages_on_node = 0.875; },
              "only 87.5 % of the memory's pages are on NUMA node 1"},
        Cause{"too_few_cores", [](report::Placement& placement) { placement.worker_cores = 1; },
              "2 workers share 1 core: "},
        Cause{"moved",
              [](report::Placement& placement) {
                placement.ran_on_cpus = {4, 9};
              },
              "a worker that was pinned to cpu 5 ran on cpu 9"}),
    [](const auto& row) { return row.param.name; });

TEST(PlacementWarnings, SayThatBothEndsAreOneMachine) {
  std::vector<report::Host> hosts = GoodHosts();
  hosts[1].boot_id = hosts[0].boot_id;
  EXPECT_THAT(PlacementWarnings(hosts), ElementsAre(HasSubstr("both ends are one machine")));
}

}  // namespace
}  // namespace rdmabench
