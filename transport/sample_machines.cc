#include "transport/sample_machines.h"

#include <vector>

namespace rdmabench {
namespace {

const std::string kCpus = "/sys/devices/system/cpu/";

constexpr unsigned kRootPort = 4;
constexpr unsigned kUpstreamPort = 5;
constexpr unsigned kDownstreamPort = 6;

void AddSystem(MachineTree& tree) {
  tree.Write("/proc/cmdline",
             "BOOT_IMAGE=/vmlinuz-6.1.0 root=/dev/sda2 ro intel_iommu=on iommu=pt");
  tree.Write("/proc/sys/kernel/osrelease", "6.1.0-18-amd64");
  tree.Write("/proc/1/comm", "systemd");
  tree.Write("/proc/self/cgroup", "0::/user.slice/user-0.slice/session-1.scope");
  tree.Write("/sys/fs/cgroup/user.slice/user-0.slice/session-1.scope/cgroup.procs", "1");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-2048kB/nr_hugepages", "1024");
  tree.Write("/sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages", "0");
  tree.Link("/usr/lib/x86_64-linux-gnu/libibverbs.so.1",
            "/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0");
}

// Processors 0 to nodes × per_node − 1, in order of their nodes.
void AddNodes(MachineTree& tree, unsigned nodes, unsigned per_node) {
  tree.Write(kCpus + "online", "0-" + std::to_string(nodes * per_node - 1));
  for (unsigned node = 0; node < nodes; ++node) {
    tree.Write("/sys/devices/system/node/node" + std::to_string(node) + "/cpulist",
               std::to_string(node * per_node) + "-" + std::to_string((node + 1) * per_node - 1));
  }
}

// A processor of a server whose owner wants steady figures.
void AddFrequencies(MachineTree& tree, unsigned cpus) {
  struct State {
    const char* name;
    const char* latency;
    const char* disable;
  };
  constexpr State kStates[] = {
      {"POLL", "0", "0"}, {"C1", "2", "0"}, {"C1E", "10", "0"}, {"C6", "133", "1"}};
  for (unsigned cpu = 0; cpu < cpus; ++cpu) {
    const std::string number = std::to_string(cpu);
    tree.Write(kCpus + "cpufreq/policy" + number + "/scaling_governor", "performance");
    unsigned index = 0;
    for (const State& state : kStates) {
      const std::string folder =
          kCpus + "cpu" + number + "/cpuidle/state" + std::to_string(index++) + "/";
      tree.Write(folder + "name", state.name);
      tree.Write(folder + "latency", state.latency);
      tree.Write(folder + "disable", state.disable);
    }
  }
  tree.Write(kCpus + "intel_pstate/no_turbo", "0");
}

struct Function {
  std::string path;  // "/sys/devices/pci0000:3a/0000:3a:00.0"
  std::string speed = "16.0 GT/s PCIe";
  std::string width = "16";
  std::string most_speed = "16.0 GT/s PCIe";
  std::string most_width = "16";
  PciSpace space = {};
  std::string node = "0";

  std::string address() const { return path.substr(path.rfind('/') + 1); }
};

void AddFunction(MachineTree& tree, const Function& function) {
  tree.Write(function.path + "/current_link_speed", function.speed);
  tree.Write(function.path + "/current_link_width", function.width);
  tree.Write(function.path + "/max_link_speed", function.most_speed);
  tree.Write(function.path + "/max_link_width", function.most_width);
  tree.Write(function.path + "/numa_node", function.node);
  tree.WriteBytes(function.path + "/config", BytesOf(function.space));
  tree.Link("/sys/bus/pci/devices/" + function.address(), function.path);
}

// An adapter's function: its IOMMU group, which passes addresses through, and its interrupts, one
// for each of `cpus`.
void AddAdapter(MachineTree& tree, const Function& function, unsigned group, unsigned first_irq,
                const std::vector<unsigned>& cpus) {
  AddFunction(tree, function);
  const std::string groups = "/sys/kernel/iommu_groups/" + std::to_string(group);
  tree.Write(groups + "/type", "identity");
  tree.Link(function.path + "/iommu_group", groups);
  for (std::size_t i = 0; i < cpus.size(); ++i) {
    const std::string irq = std::to_string(first_irq + i);
    tree.Write(function.path + "/msi_irqs/" + irq, "msix");
    tree.Write("/proc/irq/" + irq + "/effective_affinity_list", std::to_string(cpus[i]));
  }
}

Gid GidOf(int index, GidType type, std::string_view text, const std::string& netdev) {
  return {.index = index, .type = type, .raw = ParseGid(text), .netdev = netdev};
}

DeviceInfo Adapter(const std::string& name, const std::string& address) {
  DeviceInfo device;
  device.name = name;
  device.driver = "mlx5_core";
  device.firmware = "22.39.2048";
  device.pcie_address = address;
  return device;
}

// A device's entries below /sys/class and /dev.
void AddDevice(MachineTree& tree, const DeviceInfo& device, unsigned number,
               const std::string& rate) {
  const std::string folder = "/sys/class/infiniband/" + device.name;
  tree.Write(folder + "/ports/1/state", "4: ACTIVE");
  tree.Write(folder + "/ports/1/phys_state", "5: LinkUp");
  tree.Write(folder + "/ports/1/rate", rate);
  const std::string verbs = "uverbs" + std::to_string(number);
  tree.Write("/sys/class/infiniband_verbs/" + verbs + "/ibdev", device.name);
  tree.Write("/dev/infiniband/" + verbs, "");
}

PortInfo ActivePort(std::string_view link_layer, double gbps) {
  PortInfo port;
  port.state = IBV_PORT_ACTIVE;
  port.link_layer = link_layer;
  port.active_mtu_bytes = port.max_mtu_bytes = 4096;
  port.link_gbps = port.data_gbps = gbps;
  return port;
}

DeviceInfo RocePort(DeviceInfo device, const std::string& netdev) {
  device.netdev = netdev;
  PortInfo port = ActivePort("ethernet", 100.0);
  port.gids = {GidOf(0, GidType::kRoceV1, "fe80::e42:a1ff:fe12:3456", netdev),
               GidOf(3, GidType::kRoceV2, "::ffff:10.1.0.1", netdev)};
  device.ports.push_back(std::move(port));
  return device;
}

DeviceInfo InfiniBandPort(DeviceInfo device, double gbps) {
  PortInfo port = ActivePort("infiniband", gbps);
  port.gids = {GidOf(0, GidType::kInfiniBand, "fe80::e42:a103:12:3456", "")};
  device.ports.push_back(std::move(port));
  return device;
}

void AddInterface(SampleMachine& sample, const std::string& netdev) {
  sample.tree->Write("/sys/class/net/" + netdev + "/mtu", "9000");
  for (const char* point : {"roce_rp", "roce_np"}) {
    for (unsigned priority = 0; priority < 8; ++priority) {
      sample.tree->Write(
          "/sys/class/net/" + netdev + "/ecn/" + point + "/enable/" + std::to_string(priority),
          "1");
    }
  }
  sample.machine.most_gbps[netdev] = 100.0;
  sample.machine.flow_control[netdev] = {.lossless_priorities = 1U << 3U, .trusts_dscp = true};
}

SampleMachine Empty(const std::string& name, unsigned cpus) {
  SampleMachine sample;
  sample.tree = std::make_unique<MachineTree>(name);
  sample.machine.files = FileTree(sample.tree->root());
  sample.machine.memlock = {.bytes = std::nullopt, .privileged = true};
  for (unsigned cpu = 0; cpu < cpus; ++cpu) sample.machine.allowed_cpus.push_back(cpu);
  AddSystem(*sample.tree);
  return sample;
}

}  // namespace

std::string FunctionOf(std::string_view address) {
  return "/sys/bus/pci/devices/" + std::string(address);
}

SampleMachine DualSocket(const std::string& name) {
  SampleMachine sample = Empty(name, 8);
  MachineTree& tree = *sample.tree;
  AddNodes(tree, 2, 4);
  AddFrequencies(tree, 8);
  tree.Directory("/sys/class/iommu/dmar0");
  const PciSpace root_port{.port_type = kRootPort, .most_payload_bytes = 256};
  AddFunction(tree, {.path = "/sys/devices/pci0000:3a/0000:3a:00.0", .space = root_port});
  AddAdapter(tree, {.path = "/sys/devices/pci0000:3a/0000:3a:00.0/0000:3b:00.0"}, 30, 100,
             {0, 1, 2, 3, 4, 5, 6, 7});
  AddFunction(tree,
              {.path = "/sys/devices/pci0000:d7/0000:d7:00.0", .space = root_port, .node = "1"});
  AddAdapter(tree, {.path = "/sys/devices/pci0000:d7/0000:d7:00.0/0000:d8:00.0", .node = "1"}, 31,
             120, {4, 5, 6, 7, 0, 1, 2, 3});
  const DeviceInfo roce = RocePort(Adapter("mlx5_0", "0000:3b:00.0"), "eth2");
  const DeviceInfo infiniband = InfiniBandPort(Adapter("mlx5_1", "0000:d8:00.0"), 100.0);
  AddDevice(tree, roce, 0, "100 Gb/sec (4X EDR)");
  AddDevice(tree, infiniband, 1, "100 Gb/sec (4X EDR)");
  sample.machine.devices = {roce, infiniband};
  AddInterface(sample, "eth2");
  return sample;
}

SampleMachine EightRails(const std::string& name) {
  constexpr const char* kBuses[] = {"18", "2a", "3a", "5d", "9a", "ab", "ba", "db"};
  const std::string gen5 = "32.0 GT/s PCIe";
  SampleMachine sample = Empty(name, 8);
  MachineTree& tree = *sample.tree;
  AddNodes(tree, 2, 4);
  AddFrequencies(tree, 8);
  tree.Directory("/sys/class/iommu/dmar0");
  unsigned number = 0;
  for (const std::string bus : kBuses) {
    const unsigned first_cpu = number < 4 ? 0 : 4;
    const auto function = [&](const std::string& path, unsigned type) {
      return Function{
          .path = path,
          .speed = gen5,
          .most_speed = gen5,
          .space = {.port_type = type,
                    .most_payload_bytes = type == kRootPort ? 256U : 512U,
                    .access_control = type == kDownstreamPort ? std::optional(0U) : std::nullopt},
          .node = number < 4 ? "0" : "1"};
    };
    const std::string root = "/sys/devices/pci0000:" + bus + "/0000:" + bus + ":01.0";
    const std::string up = root + "/0000:" + bus + ":02.0";
    const std::string down = up + "/0000:" + bus + ":03.0";
    const std::string address = "0000:" + bus + ":04.0";
    AddFunction(tree, function(root, kRootPort));
    AddFunction(tree, function(up, kUpstreamPort));
    AddFunction(tree, function(down, kDownstreamPort));
    AddAdapter(tree, function(down + "/" + address, 0), 40 + number, 100 + 10 * number,
               {first_cpu, first_cpu + 1});
    const DeviceInfo device =
        InfiniBandPort(Adapter("mlx5_" + std::to_string(number), address), 400.0);
    AddDevice(tree, device, number, "400 Gb/sec (4X NDR)");
    sample.machine.devices.push_back(device);
    ++number;
  }
  return sample;
}

SampleMachine VirtualMachine(const std::string& name) {
  SampleMachine sample = Empty(name, 2);
  MachineTree& tree = *sample.tree;
  AddNodes(tree, 1, 2);
  tree.Write("/proc/cmdline", "BOOT_IMAGE=/vmlinuz-6.1.0-cloud root=/dev/vda1 ro");
  // No frequencies, no idle states, no IOMMU; a virtual function has no link of its own, and the
  // hypervisor shows none of its node.
  const std::string function = "/sys/devices/pci0000:00/0000:00:05.0";
  tree.Write(function + "/current_link_speed", "Unknown");
  tree.Write(function + "/current_link_width", "0");
  tree.Write(function + "/max_link_speed", "Unknown");
  tree.Write(function + "/max_link_width", "0");
  tree.Write(function + "/numa_node", "-1");
  // MaxPayload and MaxReadReq are reserved, which reads as 0, their code for 128.
  tree.WriteBytes(function + "/config", BytesOf({.payload_bytes = 128, .read_request_bytes = 128}));
  tree.Link(FunctionOf("0000:00:05.0"), function);
  const DeviceInfo device = RocePort(Adapter("mlx5_0", "0000:00:05.0"), "eth1");
  AddDevice(tree, device, 0, "100 Gb/sec (4X EDR)");
  tree.Write("/sys/class/net/eth1/mtu", "9000");
  sample.machine.devices = {device};
  return sample;
}

SampleMachine Container(const std::string& name) {
  SampleMachine sample = DualSocket(name);
  MachineTree& tree = *sample.tree;
  sample.machine.devices.pop_back();
  sample.machine.allowed_cpus = {2, 3};
  sample.machine.memlock = {.bytes = std::nullopt, .privileged = false};
  tree.Remove("/sys/class/infiniband_verbs/uverbs1");
  tree.Remove("/dev/infiniband/uverbs1");
  // It sees its own control group as the root of what is mounted.
  tree.Write("/proc/self/cgroup", "0::/");
  tree.Write("/sys/fs/cgroup/cpu.max", "max 100000");
  tree.Write("/sys/fs/cgroup/rdma.max",
             "mlx5_0 hca_handle=max hca_object=max\nmlx5_1 hca_handle=max hca_object=max");
  return sample;
}

}  // namespace rdmabench
