#include "transport/doctor.h"

#include <algorithm>

#include "transport/doctor_cpu.h"
#include "transport/doctor_pcie.h"
#include "transport/doctor_place.h"
#include "transport/doctor_port.h"
#include "transport/doctor_process.h"

namespace rdmabench {
namespace {

using enum Severity;

constexpr bool kEssential = true;
constexpr bool kAside = false;

constexpr CheckRow kRows[] = {
    {"no_device", kSevere, kAside, "nothing can be measured", CheckNoDevice},
    {"device_files", kSevere, kAside, "these devices cannot be opened", CheckDeviceFiles},
    {"device_open", kSevere, kAside, "this device cannot be measured", CheckDeviceOpens},
    {"port_state", kWarning, kAside, "nothing can be measured on this port", CheckPortState},
    {"gid", kWarning, kAside,
     "without a GID no queue pair connects; a link-local one reaches its own link only", CheckGids},
    {"memlock", kSevere, kEssential,
     "registering memory and making queues fails beyond it with \"Cannot allocate memory\"",
     CheckMemlock},
    {"rdma_cgroup", kWarning, kAside,
     "making more contexts, queue pairs and regions than that fails", CheckRdmaCgroup},
    {"software_device", kWarning, kEssential,
     "figures are those of the kernel and the processor, not of an adapter: they show that things "
     "work, never how fast a network is",
     CheckSoftwareDevice},
    {"link_rate", kWarning, kEssential, "bandwidth is bounded below what the adapter can",
     CheckLinkRate},
    {"pcie_link", kWarning, kEssential,
     "bandwidth of large messages is bounded, and message rates and latency suffer", CheckPcieLink},
    {"pcie_payload", kWarning, kAside,
     "more headers a byte: less of the PCIe link is left for payload", CheckMaxPayload},
    {"pcie_read_request", kWarning, kAside,
     "bandwidth of whoever sends is bounded by small reads of memory", CheckReadRequest},
    {"iommu", kWarning, kAside,
     "bandwidth drops and latency spreads where translations are not cached", CheckIommu},
    {"acs", kWarning, kAside,
     "traffic between an adapter and a GPU below one switch takes the way over the root, at a part "
     "of the rate",
     CheckAcs},
    {"mtu", kWarning, kAside,
     "more packets and headers a message: at 1024 large messages carry 92.6 % of a RoCE link, at "
     "4096 98.0 %",
     CheckMtu},
    {"governor", kWarning, kEssential,
     "clocks follow the load: latency and message rates vary, and are worse", CheckGovernor},
    {"turbo", kNote, kAside, "message rates are lower, and repeat better", CheckTurbo},
    {"idle_states", kWarning, kAside,
     "waking up is in the latency of --events and of rdma_rxe, and memory is slower while others "
     "sleep",
     CheckIdleStates},
    {"irqbalance", kNote, kAside, "interrupts wander: figures vary from run to run",
     CheckIrqbalance},
    {"irq_node", kWarning, kAside,
     "with --events, rdma_rxe and rdma_cm, each interrupt crosses the link between the nodes",
     CheckInterruptNode},
    {"device_node", kWarning, kAside,
     "every message crosses the link between the nodes: less bandwidth, more latency",
     CheckDeviceNode},
    {"cpuset", kWarning, kAside,
     "workers and the session thread share a processor: whoever polls is interrupted", CheckCpuset},
    {"cpu_quota", kWarning, kEssential,
     "polling threads use up their time and are stopped for the rest of each period: tails of "
     "milliseconds",
     CheckCpuQuota},
    {"huge_pages", kNote, kAside,
     "memory of huge pages is not to be had; large working sets pay for translations",
     CheckHugePages},
    {"pfc", kNote, kAside, "where switches run full packets are lost and sent again", CheckPfc},
    {"dscp_trust", kWarning, kAside,
     "RoCE's packets go by a priority that may lose them, whatever --dscp says", CheckDscpTrust},
    {"ecn", kWarning, kAside, "senders do not slow down before packets are held up or lost",
     CheckEcn},
};

std::vector<Finding> Find(const Machine& machine, std::string_view side, bool essential_only) {
  std::vector<Finding> findings;
  for (const CheckRow& row : kRows) {
    if (essential_only && !row.is_essential) continue;
    for (Symptom& symptom : row.look(machine)) {
      findings.push_back(
          {.id = std::string(row.id),
           .severity = symptom.severity.value_or(row.severity),
           .side = std::string(side),
           .what = std::move(symptom.what),
           .evidence = std::move(symptom.evidence),
           .effect = std::string(symptom.effect.empty() ? row.effect : symptom.effect),
           .remedy = std::move(symptom.remedy)});
    }
  }
  SortBySeverity(findings);
  return findings;
}

}  // namespace

std::span<const CheckRow> CheckRows() { return kRows; }

std::vector<Finding> Examine(const Machine& machine, std::string_view side) {
  return Find(machine, side, false);
}

std::vector<Finding> ExamineEssentials(const Machine& machine, std::string_view side) {
  return Find(machine, side, true);
}

void SortBySeverity(std::vector<Finding>& findings) {
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& one, const Finding& other) {
    return one.severity > other.severity;
  });
}

}  // namespace rdmabench
