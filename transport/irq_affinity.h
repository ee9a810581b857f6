// Which cpus serve a device's interrupts, as the kernel tells.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdmabench {

struct IrqAffinity {
  unsigned irq = 0;
  std::vector<unsigned> cpus;  // that serve it now; where that is not told, those that may
};

// By the number of the interrupt. The device is found by its PCIe address, or else by its network
// interface. Empty where it has no interrupts, or nothing is told of them. `root` is "/", or a copy
// of its structure in tests.
std::vector<IrqAffinity> ReadIrqs(const std::filesystem::path& root,
                                  const std::optional<std::string>& pcie_address,
                                  std::string_view netdev);

// All of them, sorted, each once.
std::vector<unsigned> CpusServing(const std::vector<IrqAffinity>& irqs);

}  // namespace rdmabench
