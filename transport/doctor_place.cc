#include "transport/doctor_place.h"

#include <algorithm>
#include <string>

#include "transport/cpu_list.h"
#include "transport/irq_affinity.h"

namespace rdmabench {
namespace {

// The node of a device's PCI function, and what its files say.
struct Node {
  std::string number;
  std::string device_file;
  std::string cpus_file;
  std::string cpu_list;
  std::vector<unsigned> cpus;

  bool Has(unsigned cpu) const { return std::find(cpus.begin(), cpus.end(), cpu) != cpus.end(); }
  bool HasAny(const std::vector<unsigned>& others) const {
    return std::any_of(others.begin(), others.end(), [this](unsigned cpu) { return Has(cpu); });
  }
};

// Absent where the firmware does not tell (-1), or the node has no processors.
std::optional<Node> NodeOf(const FileTree& files, const DeviceInfo& device) {
  if (!device.pcie_address) return std::nullopt;
  Node node;
  node.device_file = "/sys/bus/pci/devices/" + *device.pcie_address + "/numa_node";
  node.number = files.Line(node.device_file).value_or("-1");
  node.cpus_file = "/sys/devices/system/node/node" + node.number + "/cpulist";
  node.cpu_list = files.Line(node.cpus_file).value_or("");
  node.cpus = ParseCpuList(node.cpu_list).value_or(std::vector<unsigned>());
  return node.cpus.empty() ? std::nullopt : std::optional(node);
}

}  // namespace

std::vector<Symptom> CheckDeviceNode(const Machine& machine) {
  std::vector<Symptom> symptoms;
  if (machine.allowed_cpus.empty()) return symptoms;
  for (const DeviceInfo& device : machine.devices) {
    const std::optional<Node> node = NodeOf(machine.files, device);
    if (!node || node->HasAny(machine.allowed_cpus)) continue;
    symptoms.push_back(
        {.what = "this process may run on no processor of node " + node->number + ", where " +
                 device.name + " is",
         .evidence = Said(node->device_file, node->number) + "; " +
                     Said(node->cpus_file, node->cpu_list) +
                     "; sched_getaffinity: " + CpuListText(machine.allowed_cpus),
         .remedy = "allow it processors among " + node->cpu_list +
                   " (taskset, --cpuset-cpus), or use a device of its own node with -d"});
  }
  return symptoms;
}

std::vector<Symptom> CheckInterruptNode(const Machine& machine) {
  std::vector<Symptom> symptoms;
  for (const DeviceInfo& device : machine.devices) {
    const std::optional<Node> node = NodeOf(machine.files, device);
    if (!node) continue;
    const std::vector<IrqAffinity> irqs =
        ReadIrqs(machine.files.root(), device.pcie_address, device.netdev);
    const auto is_away = [&node](const IrqAffinity& irq) { return !node->HasAny(irq.cpus); };
    const auto away = std::count_if(irqs.begin(), irqs.end(), is_away);
    // Drivers deal an interrupt to each processor of the machine, those of the node first.
    if (2 * static_cast<std::size_t>(away) <= irqs.size()) continue;
    const IrqAffinity& first = *std::find_if(irqs.begin(), irqs.end(), is_away);
    symptoms.push_back(
        {.what = std::to_string(away) + " of " + std::to_string(irqs.size()) + " interrupts of " +
                 device.name + " are served outside of its node " + node->number,
         .evidence = Said("/proc/irq/" + std::to_string(first.irq) + "/effective_affinity_list",
                          CpuListText(first.cpus)) +
                     "; " + Said(node->cpus_file, node->cpu_list),
         .remedy = "set_irq_affinity_bynode.sh " + node->number + " " +
                   (device.netdev.empty() ? device.name : device.netdev) + ", or write " +
                   node->cpu_list + " to each interrupt's /proc/irq/*/smp_affinity_list"});
  }
  return symptoms;
}

}  // namespace rdmabench
