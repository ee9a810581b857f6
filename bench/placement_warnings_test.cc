#include "bench/placement_warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "transport/placement.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

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

PlacedDevice Placed(std::string name, std::vector<unsigned> cpus, std::vector<unsigned> cores) {
  PlacedDevice device{.name = std::move(name), .placement = {}};
  device.placement.worker_cores = std::set(cores.begin(), cores.end()).size();
  device.placement.worker_cpus = std::move(cpus);
  device.placement.core_of_worker = std::move(cores);
  return device;
}

struct SharingCase {
  const char* name;
  std::vector<PlacedDevice> devices;
  std::vector<std::string> begin;  // of each warning
};

void PrintTo(const SharingCase& row, std::ostream* stream) { *stream << row.name; }

class Sharing : public testing::TestWithParam<SharingCase> {};

TEST_P(Sharing, IsWarnedAboutOnce) {
  const std::vector<std::string> warnings = SharingWarnings(GetParam().devices);
  ASSERT_EQ(warnings.size(), GetParam().begin.size());
  for (std::size_t i = 0; i < warnings.size(); ++i) {
    EXPECT_THAT(warnings[i], StartsWith(GetParam().begin[i] + ": "));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Sharing,
    testing::Values(
        SharingCase{"none", {Placed("mlx5_0", {4, 5}, {4, 5}), Placed("mlx5_1", {6}, {6})}, {}},
        SharingCase{"not_pinned", {Placed("mlx5_0", {}, {})}, {}},
        SharingCase{"siblings_of_one_device",
                    {Placed("mlx5_0", {4, 12}, {4, 4})},
                    {"2 workers share 1 core"}},
        SharingCase{
            "one_cpu", {Placed("mlx5_0", {4, 4, 4}, {4, 4, 4})}, {"3 workers share 1 core"}},
        SharingCase{"each_of_two_devices",
                    {Placed("mlx5_0", {4, 12}, {4, 4}), Placed("mlx5_1", {5, 13}, {5, 5})},
                    {"2 workers of mlx5_0 share 1 core", "2 workers of mlx5_1 share 1 core"}},
        SharingCase{"siblings_of_two_devices",
                    {Placed("mlx5_0", {4, 5}, {4, 5}), Placed("mlx5_1", {12}, {4})},
                    {"3 workers of 2 devices share 2 cores"}},
        SharingCase{"all_on_the_only_cpu",
                    {Placed("mlx5_0", {0, 0}, {0, 0}), Placed("mlx5_1", {0, 0}, {0, 0})},
                    {"4 workers of 2 devices share 1 core"}}),
    [](const auto& row) { return row.param.name; });

TEST(IdleWarning, NamesTheCpusAndTheOption) {
  EXPECT_EQ(IdleWarning({}, "--cpus", 2), "");
  EXPECT_EQ(
      IdleWarning({2}, "--cpus", 2),
      "--cpus names cpu 2, where nothing runs: there are 2 workers, and --threads makes more");
  EXPECT_THAT(IdleWarning({2, 5}, "--remote-cpus", 1),
              AllOf(StartsWith("--remote-cpus names cpus 2, 5,"), HasSubstr("there is 1 worker,")));
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
              "2 workers are on another node (cpus 4, 5), mlx5_0 is on NUMA node 1"},
        Cause{"memory_elsewhere",
              [](report::Placement& placement) {
                placement.memory_node = 0;
                placement.distance = 21;
              },
              "the memory is on NUMA node 0, mlx5_0 is on NUMA node 1 (distance 21"},
        Cause{"pages_elsewhere",
              [](report::Placement& placement) { placement.pages_on_node = 0.875; },
              "only 87.5 % of the memory's pages are on NUMA node 1"},
        Cause{"not_pinned_and_elsewhere",
              [](report::Placement& placement) {
                placement.worker_cpus.clear();
                placement.worker_nodes.clear();
                placement.ran_on_nodes = {1, 0};
                placement.distance = 21;
              },
              "1 worker that is not pinned ran on another node, mlx5_0 is on NUMA node 1 (distance "
              "21, of its own node 10)"},
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
