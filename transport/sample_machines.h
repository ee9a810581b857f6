// For tests: machines as there are, with nothing wrong about them. What their files contain is what
// the kernel's documentation (Documentation/ABI, admin-guide/cgroup-v2, pm/cpufreq, pm/cpuidle) and
// vendors' guides show of such machines.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "transport/machine.h"
#include "transport/machine_tree.h"

namespace rdmabench {

struct SampleMachine {
  std::unique_ptr<MachineTree> tree;
  Machine machine;
};

// `name` is the folder's.

// Two sockets of four processors, an adapter on each: mlx5_0 (RoCE, 100 Gb/s, eth2) on node 0,
// mlx5_1 (InfiniBand EDR) on node 1.
SampleMachine DualSocket(const std::string& name);
// Two sockets and eight InfiniBand NDR adapters, mlx5_0 to mlx5_7, each below a PCIe switch of its
// own that it shares with a GPU.
SampleMachine EightRails(const std::string& name);
// A virtual machine of two processors with a virtual function, mlx5_0.
SampleMachine VirtualMachine(const std::string& name);
// A container on a machine like the first that may use processors 2 and 3 and mlx5_0.
SampleMachine Container(const std::string& name);

// Where the PCI function's own files are, whatever it is below.
std::string FunctionOf(std::string_view address);

}  // namespace rdmabench
