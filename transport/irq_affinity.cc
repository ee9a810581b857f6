#include "transport/irq_affinity.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <system_error>

#include "transport/cpu_list.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

std::string FirstWord(const fs::path& file) {
  std::ifstream stream(file);
  std::string word;
  stream >> word;
  return word;
}

std::optional<unsigned> IrqOf(const std::string& text) {
  unsigned irq = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, irq);
  if (error != std::errc() || stop != end) return std::nullopt;
  return irq;
}

// A device has either message-signalled interrupts or one line; 0 stands for none.
std::vector<unsigned> IrqsOf(const fs::path& device) {
  std::vector<unsigned> irqs;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(device / "msi_irqs", ignored)) {
    if (const auto irq = IrqOf(entry.path().filename())) irqs.push_back(*irq);
  }
  if (irqs.empty()) {
    if (const auto line = IrqOf(FirstWord(device / "irq")); line.value_or(0) != 0) {
      irqs.push_back(*line);
    }
  }
  std::sort(irqs.begin(), irqs.end());
  return irqs;
}

// The effective one is where the kernel delivers it, nowhere while the interrupt is not in use;
// older kernels tell only what was asked for.
std::vector<unsigned> CpusOf(const fs::path& irq) {
  const fs::path effective = irq / "effective_affinity_list";
  const fs::path told = fs::exists(effective) ? effective : irq / "smp_affinity_list";
  return ParseCpuList(FirstWord(told)).value_or(std::vector<unsigned>());
}

}  // namespace

std::vector<IrqAffinity> ReadIrqs(const fs::path& root,
                                  const std::optional<std::string>& pcie_address,
                                  std::string_view netdev) {
  fs::path device;
  if (pcie_address) {
    device = root / "sys/bus/pci/devices" / *pcie_address;
  } else if (!netdev.empty()) {
    device = root / "sys/class/net" / netdev / "device";
  } else {
    return {};
  }
  std::vector<IrqAffinity> irqs;
  for (const unsigned irq : IrqsOf(device)) {
    std::vector<unsigned> cpus = CpusOf(root / "proc/irq" / std::to_string(irq));
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
