// Where a device sits in the machine, and which cores and which memory node are near it. With
// locality_tree.cc the only user of hwloc.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/device_info.h"
#include "transport/placement.h"

namespace rdmabench {

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
  const CoreMap& map() const;
  // In the order in which workers would be put there, were no cpu busy.
  std::vector<unsigned> CpusNear(std::optional<unsigned> node) const;
  Placement Place(const PlacementRequest& request) const;
  // Of all devices of one side, in their order.
  std::vector<Placement> Place(std::span<const PlacementRequest> requests) const;
  // The machine with the device in it, as a tree of lines: what `placement` uses is marked.
  std::string Tree(const DevicePosition& device, const Placement& placement) const;

  // Binds the calling thread. Throws Error(kEnvironment).
  void PinThisThread(unsigned cpu) const;
  // What the calling thread and those that it starts allocate from now on comes from the node,
  // where the system allows that and the node has some left: queues, which drivers allocate.
  void PreferMemoryOf(unsigned node) const;

 private:
  struct Impl;
  explicit Locality(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace rdmabench
