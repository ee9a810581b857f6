#include "transport/irq_affinity.h"

#include <algorithm>
#include <limits>

#include "transport/cpu_list.h"
#include "transport/file_tree.h"
#include "transport/unsigned_number.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

std::optional<unsigned> IrqOf(const std::string& text) {
  const auto irq = ParseUnsigned(text, std::numeric_limits<unsigned>::max());
  return irq ? std::optional(static_cast<unsigned>(*irq)) : std::nullopt;
}

// A device has either message-signalled interrupts or one line; 0 stands for none.
std::vector<unsigned> IrqsOf(const FileTree& files, const std::string& device) {
  std::vector<unsigned> irqs;
  for (const std::string& entry : files.Entries(device + "/msi_irqs")) {
    if (const auto irq = IrqOf(entry)) irqs.push_back(*irq);
  }
  if (irqs.empty()) {
    const auto line = IrqOf(files.Line(device + "/irq").value_or(""));
    if (line.value_or(0) != 0) irqs.push_back(*line);
  }
  std::sort(irqs.begin(), irqs.end());
  return irqs;
}

// The effective one is where the kernel delivers it, nowhere while the interrupt is not in use;
// older kernels tell only what was asked for.
std::vector<unsigned> CpusOf(const FileTree& files, const std::string& irq) {
  const std::string effective = irq + "/effective_affinity_list";
  const std::string told = files.Has(effective) ? effective : irq + "/smp_affinity_list";
  return ParseCpuList(files.Line(told).value_or("")).value_or(std::vector<unsigned>());
}

}  // namespace

std::vector<IrqAffinity> ReadIrqs(const fs::path& root,
                                  const std::optional<std::string>& pcie_address,
                                  std::string_view netdev) {
  const FileTree files(root);
  std::string device;
  if (pcie_address) {
    device = "/sys/bus/pci/devices/" + *pcie_address;
  } else if (!netdev.empty()) {
    device = JoinPath({"/sys/class/net", netdev, "device"});
  } else {
    return {};
  }
  std::vector<IrqAffinity> irqs;
  for (const unsigned irq : IrqsOf(files, device)) {
    std::vector<unsigned> cpus = CpusOf(files, "/proc/irq/" + std::to_string(irq));
    if (!cpus.empty()) irqs.push_back({irq, std::move(cpus)});
  }
  return irqs;
}

std::vector<unsigned> CpusServing(const std::vector<IrqAffinity>& irqs) {
  std::vector<unsigned> cpus;
  for (const IrqAffinity& irq : irqs) cpus.insert(cpus.end(), irq.cpus.begin(), irq.cpus.end());
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

}  // namespace rdmabench
