// Where a device sits in the machine, and which cores and which memory node are near it. The only
// user of hwloc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/device_info.h"

namespace rdmabench {

// Where one side's threads and memory go, and why.
struct Placement {
  std::optional<unsigned> device_node;  // NUMA node of the device; absent when not known
  std::vector<unsigned> worker_cpus;    // one a worker (OS numbers), distinct physical cores first
  std::optional<unsigned> session_cpu;  // none of the workers', where there are enough
  std::optional<unsigned>
      memory_node;     // absent where the machine has one node, and nothing to choose
  std::string reason;  // in a sentence, for the report
};

// What identifies the device to the topology.
struct DevicePosition {
  std::string rdma_name;                    // "mlx5_0"
  std::optional<std::string> pcie_address;  // of the device, or of its netdev for software devices
  std::string netdev;
};

DevicePosition PositionOf(const DeviceInfo& info);

class Locality {
 public:
  // This machine, with the cpus that the calling thread may use now. Throws Error(kEnvironment).
  Locality();
  // A saved topology, for tests; `allowed_cpus` stands for the affinity, none for all.
  static Locality FromXml(std::string_view xml_path, std::span<const unsigned> allowed_cpus = {});
  Locality(Locality&&) noexcept;
  ~Locality();

  // Absent when the device is not known to the topology, or hangs on no node of its own.
  std::optional<unsigned> NodeOf(const DevicePosition& device) const;
  // All usable cpus of the node (all of the machine when absent), allowed by the affinity: one of
  // each physical core, then their siblings; in each part the core of cpu 0, which serves the
  // system, comes last.
  std::vector<unsigned> CpusNear(std::optional<unsigned> node) const;
  Placement Place(const DevicePosition& device, std::size_t workers) const;

  // Binds the calling thread. Throws Error(kEnvironment).
  void PinThisThread(unsigned cpu) const;

 private:
  struct Impl;
  explicit Locality(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rdmabench
