// Which GPU serves an RDMA device: the one that is asked for, or the nearest.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "transport/cuda_driver.h"

namespace rdmabench {

struct GpuChoice {
  Gpu gpu;
  std::string why;  // "the nearest to mlx5_0: both are below 0000:3a:00.0"
};

struct RdmaPosition {
  std::string name;                         // "mlx5_0"
  std::optional<std::string> pcie_address;  // absent: not on the bus, or not known
};

// `wanted`: CUDA's index ("1") or a PCIe address ("0000:3b:00.0", "3b:00.0"); empty: the nearest,
// by what both share of the way to the root, then by the NUMA node, then the first. `sysfs` is
// "/sys", or a copy of its structure in tests. `gpus` is not empty. Throws Error(kEnvironment)
// naming what there is when there is no such GPU.
GpuChoice ChooseGpu(std::string_view sysfs, std::span<const Gpu> gpus, std::string_view wanted,
                    const RdmaPosition& device);

// Throws Error(kUsage) for a text that is neither CUDA's index of a GPU nor a PCIe address.
void CheckGpuName(std::string_view wanted);

}  // namespace rdmabench
