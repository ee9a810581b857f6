#include "transport/side_facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "transport/sample_machines.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kPorts = "of client's mlx5_0 port 1 (eth2) and server's mlx5_0 port 1 (eth2): ";

SideFacts FactsOf(const Machine& machine, std::string_view tool_version = "0.1.0") {
  UsedPort used{.machine = machine, .tool_version = tool_version};
  if (!machine.devices.empty()) {
    used.device = &machine.devices.front();
    used.port = &used.device->ports.front();
  }
  return ReadFacts(used);
}

std::string Value(const SideFacts& side, std::string_view name) {
  for (const Fact& fact : side.facts) {
    if (fact.name == name) return FactText(fact.value);
  }
  return "not known";
}

TEST(ReadFacts, TellsOfSystemDeviceAndPort) {
  const SampleMachine sample = DualSocket("TellsOfSystemDeviceAndPort");
  const SideFacts side = FactsOf(sample.machine);
  EXPECT_EQ(Value(side, "tool_version"), "0.1.0");
  EXPECT_EQ(Value(side, "kernel"), "6.1.0-18-amd64");
  EXPECT_EQ(Value(side, "rdma_core"), "44.0");
  EXPECT_EQ(Value(side, "governor"), "performance");
  EXPECT_EQ(Value(side, "device"), "mlx5_0");
  EXPECT_EQ(Value(side, "firmware"), "22.39.2048");
  EXPECT_EQ(Value(side, "netdev"), "eth2");
  EXPECT_EQ(Value(side, "link_bits_per_second"), "100000000000");
  EXPECT_EQ(Value(side, "active_mtu_bytes"), "4096");
  EXPECT_EQ(Value(side, "netdev_mtu_bytes"), "9000");
  EXPECT_EQ(Value(side, "pfc_priorities"), "3");
  EXPECT_EQ(Value(side, "dscp_trust"), "yes");
  EXPECT_EQ(Value(side, "ecn_priorities"), "0, 1, 2, 3, 4, 5, 6, 7");
  EXPECT_EQ(Value(side, "traffic_class"), "not known");
  EXPECT_EQ(side.gids.size(), 2U);
}

TEST(ReadFacts, LeavesOutWhatIsNotKnown) {
  Machine machine;
  machine.files = FileTree("/nonexistent");
  const SideFacts side = FactsOf(machine);
  ASSERT_EQ(side.facts.size(), 1U);
  EXPECT_EQ(side.facts[0].name, "tool_version");
}

// What is done to one of two machines that are equal.
struct Difference {
  std::string id;
  std::function<void(MachineTree& tree, Machine& machine)> make;
  std::string evidence;
};

void PrintTo(const Difference& difference, std::ostream* out) { *out << difference.id; }

class Differences : public testing::TestWithParam<Difference> {};

TEST_P(Differences, AreFoundAlone) {
  const Difference& difference = GetParam();
  const SampleMachine client = DualSocket(difference.id + "_client");
  SampleMachine server = DualSocket(difference.id + "_server");
  const auto compare = [&] {
    return Compare(FactsOf(client.machine), FactsOf(server.machine), "10.1.0.1", "10.1.0.1");
  };
  ASSERT_THAT(compare(), IsEmpty());
  difference.make(*server.tree, server.machine);
  const std::vector<Finding> findings = compare();
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, difference.id);
  EXPECT_EQ(findings[0].side, "both");
  EXPECT_THAT(findings[0].evidence, HasSubstr(difference.evidence));
}

PortInfo& Port(Machine& machine) { return machine.devices.front().ports.front(); }

const std::vector<Difference>& TheDifferences() {
  static const std::vector<Difference> differences = {
      {"link_differs", [](MachineTree&, Machine& machine) { Port(machine).data_gbps = 25.0; },
       kPorts + "link_bits_per_second: client 100000000000, server 25000000000"},
      {"mtu_differs",
       [](MachineTree& tree, Machine& machine) {
         Port(machine).active_mtu_bytes = 1024;
         tree.Write("/sys/class/net/eth2/mtu", "1500");
       },
       kPorts + "active_mtu_bytes: client 4096, server 1024; netdev_mtu_bytes: client 9000, server "
                "1500"},
      {"governor_differs",
       [](MachineTree& tree, Machine&) {
         tree.Write("/sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave");
       },
       "governor: client performance, server performance, powersave"},
      {"flow_control_differs",
       [](MachineTree&, Machine& machine) {
         machine.flow_control["eth2"].lossless_priorities = 1U << 5U;
       },
       kPorts + "pfc_priorities: client 3, server 5"},
      {"driver_differs",
       [](MachineTree&, Machine& machine) {
         machine.devices.front().driver = "bnxt_re";
         machine.devices.front().firmware = "227.0.131.0";
       },
       kPorts + "driver: client mlx5_core, server bnxt_re"},
      {"firmware_differs",
       [](MachineTree&, Machine& machine) { machine.devices.front().firmware = "22.31.1014"; },
       kPorts + "firmware: client 22.39.2048, server 22.31.1014"},
      {"kernel_differs",
       [](MachineTree& tree, Machine&) { tree.Write("/proc/sys/kernel/osrelease", "5.14.0"); },
       "kernel: client 6.1.0-18-amd64, server 5.14.0"},
      {"rdma_core_differs",
       [](MachineTree& tree, Machine&) {
         tree.Link("/usr/lib/x86_64-linux-gnu/libibverbs.so.1",
                   "/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.50.0");
       },
       "rdma_core: client 44.0, server 50.0"},
      {"link_layer_differs",
       [](MachineTree&, Machine& machine) { Port(machine).link_layer = "infiniband"; },
       kPorts + "link_layer: client ethernet, server infiniband"},
      {std::string(kGidPair),
       [](MachineTree&, Machine& machine) {
         for (Gid& gid : Port(machine).gids) gid.type = GidType::kInfiniBand;
       },
       "roce_v2; server: 0 fe80::e42:a1ff:fe12:3456 infiniband"},
  };
  return differences;
}

INSTANTIATE_TEST_SUITE_P(All, Differences, testing::ValuesIn(TheDifferences()),
                         [](const auto& row) { return row.param.id; });

TEST(Compare, FindsAnotherVersionOfTheProgram) {
  const SampleMachine sample = VirtualMachine("FindsAnotherVersionOfTheProgram");
  const std::vector<Finding> findings =
      Compare(FactsOf(sample.machine, "0.1.0"), FactsOf(sample.machine, "0.2.0"), "", "");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "tool_version_differs");
}

TEST(Compare, NamesThePortsThatItCompared) {
  const SampleMachine client = DualSocket("NamesThePorts_client");
  SampleMachine server = DualSocket("NamesThePorts_server");
  server.machine.devices.front().name = "mlx5_9";
  Port(server.machine).number = 2;
  Port(server.machine).data_gbps = 25.0;
  const std::vector<Finding> findings =
      Compare(FactsOf(client.machine), FactsOf(server.machine), "", "");
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_THAT(findings[0].evidence,
              HasSubstr("client's mlx5_0 port 1 (eth2) and server's mlx5_9 port 2 (eth2): link_"));
}

TEST(Compare, SaysNothingOfWhatOneSideDoesNotKnow) {
  const SampleMachine sample = DualSocket("SaysNothingOfWhatOneSideDoesNotKnow");
  EXPECT_THAT(Compare(FactsOf(sample.machine), SideFacts{}, "", ""), IsEmpty());
}

TEST(DifferenceRows, AreEachTested) {
  for (const DifferenceRow& row : DifferenceRows()) {
    if (row.id == "tool_version_differs") continue;
    const auto& all = TheDifferences();
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&row](const Difference& difference) {
      return difference.id == row.id;
    })) << row.id;
  }
}

bool IsFact(std::string_view name) {
  return std::any_of(FactRows().begin(), FactRows().end(),
                     [name](const FactRow& row) { return row.name == name; });
}

TEST(DifferenceRows, NameFactsThatThereAre) {
  for (const DifferenceRow& row : DifferenceRows()) {
    for (const std::string_view name : row.facts) {
      EXPECT_TRUE(name.empty() || IsFact(name)) << name;
    }
    EXPECT_TRUE(row.given.empty() || IsFact(row.given)) << row.given;
  }
}

}  // namespace
}  // namespace rdmabench
