#include "transport/doctor_pcie.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "transport/device_sysfs.h"
#include "transport/pci_config.h"
#include "transport/pcie.h"

namespace rdmabench {
namespace {

constexpr const char* kFunctions = "/sys/bus/pci/devices/";

// Software devices have a place on the bus by their interface alone; their data take other ways.
bool IsOnPcie(const DeviceInfo& device) {
  return device.pcie_address.has_value() && !IsSoftwareDriver(device.driver);
}

std::vector<PcieHop> PathOf(const FileTree& files, const DeviceInfo& device) {
  return ReadPciePath((files.root() / "sys").string(), *device.pcie_address);
}

// Virtual functions have none: what Device Control would set is their physical function's, and is
// reserved in their own.
bool HasOwnLink(const std::vector<PcieHop>& path) {
  return !path.empty() && path.front().now.has_value();
}

PciConfig ConfigOf(const FileTree& files, const std::string& address) {
  return ParsePciConfig(files.Bytes(kFunctions + address + "/config"));
}

std::string LinkText(const PcieLink& link) {
  char text[48];
  std::snprintf(text, sizeof text, "%.1f GT/s x%u", link.gigatransfers_per_second, link.lanes);
  return text;
}

// What both ends of a link can do.
PcieLink Common(const PcieLink& one, const PcieLink& other) {
  return {std::min(one.gigatransfers_per_second, other.gigatransfers_per_second),
          std::min(one.lanes, other.lanes),
          {}};
}

// Payload that the link carries at most, in Gb/s; the device's reads, in large messages.
double PayloadGbps(const PcieLink& link) {
  constexpr std::uint64_t kLarge = 65536;
  return PcieBytesPerSecond(link, PcieTransfer::kDeviceReads, kLarge).value_or(0.0) * 8e-9;
}

double FastestPort(const DeviceInfo& device) {
  double gbps = 0.0;
  for (const PortInfo& port : device.ports) gbps = std::max(gbps, port.data_gbps.value_or(0.0));
  return gbps;
}

// A link that runs below `most`.
Symptom SlowLink(const DeviceInfo& device, const PcieHop& hop, const PcieLink& most) {
  const std::string folder = kFunctions + hop.address;
  const double payload = PayloadGbps(*hop.now);
  const double port = FastestPort(device);
  const std::string compared =
      port > 0.0 ? "; it carries at most " + GbpsText(payload) + ", and the port " + GbpsText(port)
                 : "";
  return {.what = "the PCIe link of " + device.name + " at " + hop.address + " runs at " +
                  LinkText(*hop.now) + " of " + LinkText(most) + compared,
          .evidence = Said(folder + "/current_link_*", LinkText(*hop.now)) +
                      "; max_link_*: " + LinkText(hop.most.value_or(most)),
          .remedy =
              "reseat the adapter or riser, use a slot that has the width, and see the slot's "
              "speed and bifurcation in the firmware's setup; lspci -vvs " +
              hop.address + " shows LnkSta",
          .severity = payload < port ? std::optional(Severity::kSevere) : std::nullopt};
}

bool IsBelow(const PcieLink& now, const PcieLink& most) {
  return now.gigatransfers_per_second < most.gigatransfers_per_second || now.lanes < most.lanes;
}

}  // namespace

// Each link has two functions of the path: the lower end's, then the upper end's. What the device
// could do counts for its own link, and for those above what both ends could.
std::vector<Symptom> CheckPcieLink(const Machine& machine) {
  std::vector<Symptom> symptoms;
  for (const DeviceInfo& device : machine.devices) {
    if (!IsOnPcie(device)) continue;
    const std::vector<PcieHop> path = PathOf(machine.files, device);
    for (std::size_t i = 0; i < path.size(); i += 2) {
      const PcieHop& lower = path[i];
      if (!lower.now || !lower.most) continue;
      const bool has_partner = i + 1 < path.size() && path[i + 1].most.has_value();
      const PcieLink most =
          i > 0 && has_partner ? Common(*lower.most, *path[i + 1].most) : *lower.most;
      if (IsBelow(*lower.now, most)) symptoms.push_back(SlowLink(device, lower, most));
    }
  }
  return symptoms;
}

std::vector<Symptom> CheckMaxPayload(const Machine& machine) {
  std::vector<Symptom> symptoms;
  for (const DeviceInfo& device : machine.devices) {
    if (!IsOnPcie(device)) continue;
    const std::vector<PcieHop> path = PathOf(machine.files, device);
    if (!HasOwnLink(path)) continue;
    const PciConfig own = ConfigOf(machine.files, *device.pcie_address);
    if (!own.max_payload_bytes || !own.most_payload_bytes) continue;
    std::uint32_t most = *own.most_payload_bytes;
    for (const PcieHop& hop : path) {
      most = std::min(most, ConfigOf(machine.files, hop.address).most_payload_bytes.value_or(most));
    }
    if (*own.max_payload_bytes >= most) continue;
    const std::string now = std::to_string(*own.max_payload_bytes);
    symptoms.push_back({.what = device.name + " sends PCIe packets of at most " + now +
                                " B, and all on the way can " + std::to_string(most),
                        .evidence = Said(kFunctions + *device.pcie_address + "/config",
                                         "DevCtl MaxPayload " + now + ", DevCap " +
                                             std::to_string(*own.most_payload_bytes)),
                        .remedy = "set the maximum payload size in the firmware's setup, or boot "
                                  "with pci=pcie_bus_perf"});
  }
  return symptoms;
}

std::vector<Symptom> CheckReadRequest(const Machine& machine) {
  constexpr std::uint32_t kEnough = 512;  // what functions are set to when they come up
  std::vector<Symptom> symptoms;
  for (const DeviceInfo& device : machine.devices) {
    if (!IsOnPcie(device) || !HasOwnLink(PathOf(machine.files, device))) continue;
    const auto size = ConfigOf(machine.files, *device.pcie_address).max_read_request_bytes;
    if (!size || *size >= kEnough) continue;
    symptoms.push_back({.what = device.name + " reads memory in requests of at most " +
                                std::to_string(*size) + " B",
                        .evidence = Said(kFunctions + *device.pcie_address + "/config",
                                         "DevCtl MaxReadReq " + std::to_string(*size)),
                        .remedy = "setpci -s " + *device.pcie_address +
                                  " CAP_EXP+8.w=5000:7000 (4096 B), or the maximum read request "
                                  "size in the firmware's setup"});
  }
  return symptoms;
}

std::vector<Symptom> CheckIommu(const Machine& machine) {
  std::vector<Symptom> symptoms;
  if (machine.files.Entries("/sys/class/iommu").empty()) return symptoms;
  for (const DeviceInfo& device : machine.devices) {
    if (!IsOnPcie(device)) continue;
    const std::string file = kFunctions + *device.pcie_address + "/iommu_group/type";
    // "DMA" and "DMA-FQ" translate, "identity" does not. Before Linux 5.11 there is no such file,
    // and the command line tells.
    const std::string type = machine.files.Line(file).value_or("");
    const std::string line = machine.files.Line("/proc/cmdline").value_or("");
    const bool is_told = !type.empty();
    const bool is_passed = line.find("iommu=pt") != std::string::npos ||
                           line.find("iommu.passthrough=1") != std::string::npos;
    const bool is_on = line.find("intel_iommu=on") != std::string::npos ||
                       line.find("amd_iommu=on") != std::string::npos;
    if (is_told ? !type.starts_with("DMA") : is_passed || !is_on) continue;
    symptoms.push_back({.what = "the IOMMU translates each address that " + device.name + " uses",
                        .evidence = is_told ? Said(file, type) : Said("/proc/cmdline", line),
                        .remedy =
                            "boot with iommu=pt, or iommu=off where no device is passed on to "
                            "a virtual machine"});
  }
  return symptoms;
}

std::vector<Symptom> CheckAcs(const Machine& machine) {
  std::vector<Symptom> symptoms;
  std::vector<std::string> seen;
  for (const DeviceInfo& device : machine.devices) {
    if (!IsOnPcie(device)) continue;
    for (const PcieHop& hop : PathOf(machine.files, device)) {
      const PciConfig config = ConfigOf(machine.files, hop.address);
      // A root port redirects nothing that would not pass the root anyway.
      if (!config.is_downstream_port || !config.redirects_requests.value_or(false)) continue;
      if (std::find(seen.begin(), seen.end(), hop.address) != seen.end()) continue;
      seen.push_back(hop.address);
      symptoms.push_back(
          {.what = "the switch port " + hop.address + " above " + device.name +
                   " sends what goes to its neighbours up to the root (ACS)",
           .evidence = Said(kFunctions + hop.address + "/config", "ACSCtl ReqRedir+"),
           .remedy = "setpci -s " + hop.address +
                     " ECAP_ACS+6.w=0000, or switch ACS off in the "
                     "firmware's setup"});
    }
  }
  return symptoms;
}

}  // namespace rdmabench
