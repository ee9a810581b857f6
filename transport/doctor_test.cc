#include "transport/doctor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "transport/error.h"
#include "transport/sample_machines.h"
#include "transport/side_facts.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using Build = SampleMachine (*)(const std::string& name);

std::string FolderName() {
  std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
  for (char& c : name) c = c == '/' ? '_' : c;
  return name;
}

std::vector<std::string> IdsOf(const std::vector<Finding>& findings) {
  std::vector<std::string> ids;
  for (const Finding& finding : findings) ids.push_back(finding.id);
  return ids;
}

// One cause: what is done to a sound machine, and what is then found.
struct Plant {
  std::string name;
  Build build;
  std::function<void(MachineTree& tree, Machine& machine)> plant;
  std::string id;
  Severity severity;
  std::string words;  // in what, evidence or remedy, each of them separated by '|'
};

void PrintTo(const Plant& plant, std::ostream* out) { *out << plant.name; }

std::string Everything(const Finding& finding) {
  return finding.what + "\n" + finding.evidence + "\n" + finding.effect + "\n" + finding.remedy;
}

class Planted : public testing::TestWithParam<Plant> {};

TEST_P(Planted, IsFoundAloneAndIsGoneWithItsCause) {
  const Plant& plant = GetParam();
  SampleMachine sample = plant.build(FolderName());
  ASSERT_THAT(IdsOf(Examine(sample.machine, "client")), IsEmpty());

  const Machine sound = sample.machine;
  MachineTree& tree = *sample.tree;
  tree.Keep();
  plant.plant(tree, sample.machine);
  const std::vector<Finding> findings = Examine(sample.machine, "client");
  ASSERT_THAT(IdsOf(findings), ElementsAre(plant.id));
  EXPECT_EQ(findings[0].severity, plant.severity);
  EXPECT_EQ(findings[0].side, "client");
  std::istringstream words(plant.words);
  for (std::string word; std::getline(words, word, '|');) {
    EXPECT_THAT(Everything(findings[0]), HasSubstr(word));
  }

  tree.Restore();
  EXPECT_THAT(IdsOf(Examine(sound, "client")), IsEmpty());
}

using enum Severity;

PortInfo& FirstPort(Machine& machine) { return machine.devices.front().ports.front(); }

void Deactivate(MachineTree& tree, Machine& machine) {
  FirstPort(machine).state = IBV_PORT_DOWN;
  tree.Write("/sys/class/infiniband/mlx5_0/ports/1/state", "1: DOWN");
  tree.Write("/sys/class/infiniband/mlx5_0/ports/1/phys_state", "3: Disabled");
}

void LoseGid(MachineTree& /*tree*/, Machine& machine) {
  FirstPort(machine).gids.clear();
  machine.missing_gids.emplace_back(Blame::kEnvironment, "no --gid-index 9", "in use are: 0");
}

std::function<void(MachineTree&, Machine&)> Line(std::string path, std::string line) {
  return [path = std::move(path), line = std::move(line)](MachineTree& tree, Machine&) {
    tree.Write(path, line);
  };
}

std::function<void(MachineTree&, Machine&)> Config(std::string address, PciSpace space) {
  return [address = std::move(address), space](MachineTree& tree, Machine&) {
    tree.WriteBytes(FunctionOf(address) + "/config", BytesOf(space));
  };
}

const std::vector<Plant>& ProcessPlants() {
  static const std::vector<Plant> plants = {
      {"memlock", Container, [](MachineTree&, Machine& machine) { machine.memlock.bytes = 65536; },
       "memlock", kSevere,
       "65536 KiB|getrlimit(RLIMIT_MEMLOCK): 64 KiB|beyond it|limits.d|LimitMEMLOCK"},
      {"no_device", VirtualMachine,
       [](MachineTree& tree, Machine& machine) {
         machine.devices.clear();
         tree.Remove("/sys/class/infiniband");
         tree.Remove("/sys/class/infiniband_verbs");
       },
       "no_device", kSevere, "/sys/class/infiniband: not there|rdma link add"},
      {"no_provider", VirtualMachine,
       [](MachineTree&, Machine& machine) { machine.devices.clear(); }, "no_device", kSevere,
       "mlx5_0|ibverbs-providers"},
      {"device_that_is_not_there", DualSocket,
       [](MachineTree&, Machine& machine) {
         machine.missing_devices.emplace_back(Blame::kEnvironment, "no device is named nope",
                                              "choose one of those");
       },
       "no_device", kSevere, "named nope|ibv_get_device_list|choose one|measured with it"},
      {"port_that_is_not_there", DualSocket,
       [](MachineTree&, Machine& machine) {
         machine.missing_ports.emplace_back(Blame::kEnvironment, "mlx5_0 has no port 2",
                                            "leave the port out");
       },
       "port_state", kSevere, "mlx5_0 has no port 2|phys_port_cnt|leave the port out"},
      {"device_files", Container,
       [](MachineTree& tree, Machine& machine) {
         tree.Remove("/dev/infiniband");
         machine.devices.clear();
       },
       "device_files", kSevere, "mlx5_0|/dev/infiniband/uverbs0|--device=/dev/infiniband"},
      {"device_files_of_others", DualSocket,
       [](MachineTree& tree, Machine& machine) {
         tree.Remove("/dev/infiniband/uverbs1");
         machine.devices.pop_back();
       },
       "device_files", kNote, "mlx5_1|/dev/infiniband/uverbs1"},
      {"device_open_of_others", DualSocket,
       [](MachineTree&, Machine& machine) {
         machine.devices.pop_back();
         machine.closed.emplace_back(Blame::kEnvironment, "cannot open mlx5_1: Permission denied");
       },
       "device_open", kWarning, "cannot open mlx5_1|dmesg"},
      {"device_open", Container,
       [](MachineTree&, Machine& machine) {
         machine.devices.clear();
         machine.closed.emplace_back(Blame::kEnvironment, "cannot open mlx5_0: Permission denied",
                                     "join the file's group");
       },
       "device_open", kSevere, "cannot open mlx5_0: Permission denied|join the file's group"},
      {"huge_pages", DualSocket,
       Line("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0"), "huge_pages", kNote,
       "hugepages-2048kB/nr_hugepages: 0|vm.nr_hugepages"},
      {"cpuset", Container, [](MachineTree&, Machine& machine) { machine.allowed_cpus = {2}; },
       "cpuset", kWarning, "one of 8 processors|online: 0-7"},
      {"cpu_quota", Container, Line("/sys/fs/cgroup/cpu.max", "150000 100000"), "cpu_quota",
       kWarning, "1.50 processors|/sys/fs/cgroup/cpu.max: 150000 100000"},
      {"cpu_quota_of_an_outer_group", DualSocket,
       Line("/sys/fs/cgroup/user.slice/cpu.max", "100000 100000"), "cpu_quota", kWarning,
       "/sys/fs/cgroup/user.slice/cpu.max"},
      {"cpu_quota_of_version_1", DualSocket,
       [](MachineTree& tree, Machine&) {
         tree.Write("/proc/self/cgroup", "5:memory:/other\n4:cpu,cpuacct:/docker/1f");
         tree.Write("/sys/fs/cgroup/cpu/docker/1f/cpu.cfs_quota_us", "50000");
         tree.Write("/sys/fs/cgroup/cpu/docker/1f/cpu.cfs_period_us", "100000");
         tree.Write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1");
         tree.Write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000");
       },
       "cpu_quota", kWarning, "0.50 processors|docker/1f/cpu.cfs_quota_us: 50000 100000"},
      {"rdma_cgroup_of_version_1", DualSocket,
       [](MachineTree& tree, Machine&) {
         tree.Write("/proc/self/cgroup", "9:rdma:/docker/1f");
         tree.Write("/sys/fs/cgroup/rdma/docker/1f/rdma.max",
                    "mlx5_0 hca_handle=2 hca_object=2000");
       },
       "rdma_cgroup", kWarning, "/sys/fs/cgroup/rdma/docker/1f/rdma.max"},
      {"rdma_cgroup", Container,
       Line("/sys/fs/cgroup/rdma.max", "mlx5_0 hca_handle=2 hca_object=2000"), "rdma_cgroup",
       kWarning, "mlx5_0 hca_handle=2 hca_object=2000|hca_handle=max"},
      {"rdma_cgroup_of_nothing", Container,
       Line("/sys/fs/cgroup/rdma.max", "mlx5_0 hca_handle=0 hca_object=max"), "rdma_cgroup",
       kSevere, "hca_handle=0"},
  };
  return plants;
}

const std::vector<Plant>& MachinePlants() {
  static const std::vector<Plant> plants = {
      {"governor", DualSocket,
       Line("/sys/devices/system/cpu/cpufreq/policy3/scaling_governor", "powersave"), "governor",
       kWarning, "powersave|1 of 8|policy3/scaling_governor|frequency-set -g performance"},
      {"turbo_of_intel", DualSocket, Line("/sys/devices/system/cpu/intel_pstate/no_turbo", "1"),
       "turbo", kNote, "no_turbo: 1|echo 0 >"},
      {"turbo_of_others", EightRails, Line("/sys/devices/system/cpu/cpufreq/boost", "0"), "turbo",
       kNote, "boost: 0|echo 1 >"},
      {"idle_states", DualSocket,
       [](MachineTree& tree, Machine&) {
         for (const char* cpu : {"cpu5", "cpu6"}) {
           tree.Write(std::string("/sys/devices/system/cpu/") + cpu + "/cpuidle/state3/disable",
                      "0");
         }
       },
       "idle_states", kWarning, "2 processors|C6|133 us|cpu5/cpuidle/state3|idle-set -D"},
      {"irqbalance", DualSocket, Line("/proc/812/comm", "irqbalance"), "irqbalance", kNote,
       "/proc/812/comm|systemctl stop irqbalance"},
      {"irq_node", DualSocket,
       [](MachineTree& tree, Machine&) {
         tree.Write("/proc/irq/100/effective_affinity_list", "5");
       },
       "irq_node", kWarning, "5 of 8 interrupts of mlx5_0|/proc/irq/100/|0-3"},
      {"device_node", DualSocket,
       [](MachineTree&, Machine& machine) {
         machine.devices.pop_back();
         machine.allowed_cpus = {6, 7};
       },
       "device_node", kWarning, "node 0, where mlx5_0 is|numa_node: 0|cpulist: 0-3|6,7"},
      {"pcie_width", DualSocket, Line(FunctionOf("0000:3b:00.0") + "/current_link_width", "8"),
       "pcie_link", kWarning, "mlx5_0|16.0 GT/s x8 of 16.0 GT/s x16|the port 100 Gb/s|lspci"},
      {"pcie_speed_below_the_port", DualSocket,
       Line(FunctionOf("0000:3b:00.0") + "/current_link_speed", "5.0 GT/s PCIe"), "pcie_link",
       kSevere, "5.0 GT/s x16 of 16.0 GT/s x16|current_link_*"},
      {"pcie_above_a_switch", EightRails,
       [](MachineTree& tree, Machine&) {
         for (const char* address : {"0000:2a:02.0", "0000:2a:01.0"}) {
           tree.Write(FunctionOf(address) + "/current_link_width", "4");
         }
       },
       "pcie_link", kSevere, "mlx5_1 at 0000:2a:02.0|32.0 GT/s x4 of 32.0 GT/s x16"},
      {"pcie_payload", DualSocket, Config("0000:3b:00.0", {.payload_bytes = 128}), "pcie_payload",
       kWarning, "mlx5_0|at most 128 B|can 256|MaxPayload 128"},
      {"pcie_read_request", DualSocket, Config("0000:d8:00.0", {.read_request_bytes = 128}),
       "pcie_read_request", kWarning, "mlx5_1|at most 128 B|MaxReadReq 128|CAP_EXP+8.w"},
      {"iommu", DualSocket, Line("/sys/kernel/iommu_groups/30/type", "DMA-FQ"), "iommu", kWarning,
       "mlx5_0|iommu_group/type: DMA-FQ|iommu=pt"},
      {"iommu_of_an_old_kernel", DualSocket,
       [](MachineTree& tree, Machine& machine) {
         machine.devices.pop_back();
         tree.Remove("/sys/kernel/iommu_groups/30/type");
         tree.Write("/proc/cmdline", "ro intel_iommu=on");
       },
       "iommu", kWarning, "/proc/cmdline: ro intel_iommu=on"},
      {"acs", EightRails, Config("0000:3a:03.0", {.port_type = 6, .access_control = 0x1dU}), "acs",
       kWarning, "0000:3a:03.0 above mlx5_2|ReqRedir+|ECAP_ACS+6.w=0000"},
  };
  return plants;
}

const std::vector<Plant>& PortPlants() {
  static const std::vector<Plant> plants = {
      {"software_device", VirtualMachine,
       [](MachineTree& tree, Machine& machine) {
         tree.Write("/sys/class/infiniband/rxe0/parent", "eth1");
         DeviceInfo& device = machine.devices.front();
         device.name = "rxe0";
         device.driver = "rdma_rxe";
       },
       "software_device", kWarning, "rxe0 is software, rdma_rxe on eth1|rxe0/parent: eth1"},
      {"siw", VirtualMachine,
       [](MachineTree&, Machine& machine) { machine.devices.front().driver = "siw"; },
       "software_device", kWarning, "siw on eth1|driver: siw"},
      {"only_port_down", VirtualMachine, Deactivate, "port_state", kSevere,
       "port 1 of mlx5_0|down|phys_state: 3: Disabled|ip link set dev eth1 up"},
      {"one_port_of_two_down", DualSocket, Deactivate, "port_state", kWarning, "1: DOWN"},
      {"chosen_port_down", DualSocket,
       [](MachineTree& tree, Machine& machine) {
         Deactivate(tree, machine);
         machine.chosen = true;
       },
       "port_state", kSevere, "mlx5_0"},
      {"no_subnet_manager", DualSocket,
       [](MachineTree& tree, Machine& machine) {
         machine.devices.back().ports.front().state = IBV_PORT_INIT;
         tree.Write("/sys/class/infiniband/mlx5_1/ports/1/state", "2: INIT");
       },
       "port_state", kWarning, "mlx5_1|initializing|opensm"},
      {"ethernet_link", DualSocket,
       [](MachineTree&, Machine& machine) { FirstPort(machine).data_gbps = 25.0; }, "link_rate",
       kWarning, "mlx5_0 runs at 25 Gb/s of 100 Gb/s|/sys/class/net/eth2/speed|ethtool eth2"},
      {"infiniband_width", DualSocket,
       Line("/sys/class/infiniband/mlx5_1/ports/1/rate", "25 Gb/sec (1X EDR)"), "link_rate",
       kWarning, "25 Gb/sec (1X EDR)|cable"},
      {"infiniband_speed", EightRails,
       Line("/sys/class/infiniband/mlx5_6/ports/1/rate", "10 Gb/sec (4X SDR)"), "link_rate",
       kWarning, "mlx5_6|10 Gb/sec (4X SDR)"},
      {"roce_mtu", DualSocket,
       [](MachineTree& tree, Machine& machine) {
         FirstPort(machine).active_mtu_bytes = 1024;
         tree.Write("/sys/class/net/eth2/mtu", "1500");
       },
       "mtu", kWarning,
       "MTU of 1024, and could have 4096|eth2/mtu: 1500|ip link set dev eth2 mtu 9000"},
      {"infiniband_mtu", DualSocket,
       [](MachineTree&, Machine& machine) {
         machine.devices.back().ports.front().active_mtu_bytes = 2048;
       },
       "mtu", kWarning, "mlx5_1|2048|opensm"},
      {"no_gid", DualSocket,
       [](MachineTree&, Machine& machine) { FirstPort(machine).gids.clear(); }, "gid", kSevere,
       "has no GID|none in use|ip addr add"},
      {"gid_index", VirtualMachine, LoseGid, "gid", kSevere,
       "--gid-index 9|ibv_query_gid_table: in use are: 0"},
      {"gid_index_of_another_port", DualSocket, LoseGid, "gid", kWarning, "--gid-index 9"},
      {"no_routable_gid", DualSocket,
       [](MachineTree&, Machine& machine) { FirstPort(machine).gids.pop_back(); }, "gid", kWarning,
       "no routable GID|fe80::e42:a1ff:fe12:3456"},
      {"pfc", DualSocket,
       [](MachineTree&, Machine& machine) { machine.flow_control["eth2"].lossless_priorities = 0; },
       "pfc", kNote, "no priority of eth2|dcb pfc"},
      {"dscp_trust", DualSocket,
       [](MachineTree&, Machine& machine) { machine.flow_control["eth2"].trusts_dscp = false; },
       "dscp_trust", kWarning, "lossless priorities are 3|dcb app show dev eth2|--trust dscp"},
      {"ecn", DualSocket,
       [](MachineTree& tree, Machine&) {
         for (const char* priority : {"0", "1", "2", "3", "4", "5", "6", "7"}) {
           tree.Write(std::string("/sys/class/net/eth2/ecn/roce_np/enable/") + priority, "0");
         }
       },
       "ecn", kWarning, "eth2/ecn/roce_np/enable|echo 1"},
  };
  return plants;
}

std::string NameOf(const testing::TestParamInfo<Plant>& row) { return row.param.name; }

INSTANTIATE_TEST_SUITE_P(Process, Planted, testing::ValuesIn(ProcessPlants()), NameOf);
INSTANTIATE_TEST_SUITE_P(Machine, Planted, testing::ValuesIn(MachinePlants()), NameOf);
INSTANTIATE_TEST_SUITE_P(Ports, Planted, testing::ValuesIn(PortPlants()), NameOf);

TEST(CheckRows, AreEachFoundByAPlant) {
  std::set<std::string> planted;
  for (const auto* plants : {&ProcessPlants(), &MachinePlants(), &PortPlants()}) {
    for (const Plant& plant : *plants) planted.insert(plant.id);
  }
  std::set<std::string> rows;
  for (const CheckRow& row : CheckRows()) rows.insert(std::string(row.id));
  EXPECT_EQ(planted, rows);
}

TEST(Examine, FindsNothingOfAnEmptyFolderButThatThereIsNoDevice) {
  Machine machine;
  machine.files = FileTree("/nonexistent");
  machine.memlock.privileged = true;
  EXPECT_THAT(IdsOf(Examine(machine, "client")), ElementsAre("no_device"));
}

TEST(Examine, PutsTheSevereFirst) {
  SampleMachine sample = VirtualMachine("PutsTheSevereFirst");
  sample.tree->Write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0");
  FirstPort(sample.machine).active_mtu_bytes = 1024;
  FirstPort(sample.machine).gids.clear();
  EXPECT_THAT(IdsOf(Examine(sample.machine, "server")), ElementsAre("gid", "mtu", "huge_pages"));
}

TEST(ExamineEssentials, LeavesOutWhatDoesNotBendTheMeasurement) {
  SampleMachine sample = DualSocket("LeavesOutWhatDoesNotBendTheMeasurement");
  sample.tree->Write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "0");
  sample.tree->Write("/proc/812/comm", "irqbalance");
  sample.tree->Write("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil");
  EXPECT_THAT(IdsOf(ExamineEssentials(sample.machine, "client")), ElementsAre("governor"));
}

TEST(ExamineEssentials, HasTheWordsOfTheWhole) {
  SampleMachine sample = DualSocket("HasTheWordsOfTheWhole");
  sample.tree->Write("/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil");
  const std::string line = FindingLine(ExamineEssentials(sample.machine, "server").front());
  EXPECT_EQ(line, FindingLine(Examine(sample.machine, "server").front()));
  EXPECT_THAT(line, AllOf(HasSubstr("server: the frequency governor is schedutil"),
                          HasSubstr("; remedy: cpupower")));
}

// docs/doctor.md has a line for each row.
TEST(Docs, HaveEachRow) {
  std::ostringstream page;
  page << std::ifstream("docs/doctor.md").rdbuf();
  for (const CheckRow& row : CheckRows()) {
    const std::string line =
        "| `" + std::string(row.id) + "` | " + std::string(SeverityName(row.severity)) + " | " +
        (row.is_essential ? "yes" : "") + " | " + std::string(row.effect) + " | ";
    EXPECT_THAT(page.str(), HasSubstr(line));
  }
  for (const DifferenceRow& row : DifferenceRows()) {
    const std::string line = "| `" + std::string(row.id) + "` | " +
                             std::string(SeverityName(row.severity)) + " | " +
                             std::string(row.effect) + " | ";
    EXPECT_THAT(page.str(), HasSubstr(line));
  }
  EXPECT_THAT(page.str(), HasSubstr("| `" + std::string(kGidPair) + "` | severe | "));
}

}  // namespace
}  // namespace rdmabench
