// RDMA devices: all that there are, and the one that a run opens.
#pragma once

#include <infiniband/verbs.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/device_info.h"
#include "transport/error.h"
#include "transport/handle.h"

namespace rdmabench {

// An opened device.
class Device {
 public:
  // Opens the RDMA device of this name, or the one that belongs to the network interface of this
  // name. Throws Error(kEnvironment) naming those that exist, or that there is none at all.
  static Device Open(std::string_view name);
  // The device with an active port that has `local_ip` (the session's own address) in its GID
  // table, or whose network interface carries it; else, or for a loopback address that no device's
  // interface carries, the first with an active port. Throws Error(kEnvironment) when no device has
  // one.
  static Device OpenFor(std::string_view local_ip);

  ibv_context* context() const { return context_.get(); }
  const DeviceInfo& info() const { return info_; }
  // The port of this number, or the first active one. Throws Error(kEnvironment): no such port, or
  // it is not active.
  const PortInfo& ActivePort(std::optional<int> number) const;

 private:
  friend std::vector<Device> OpenDevices(std::vector<Error>& failures);
  Device(Context context, DeviceInfo info);
  Context context_;
  DeviceInfo info_;
};

// The RDMA device of this name, or of the network interface of this name, as far as that is known
// without opening any: empty for an interface that may be a VLAN over one. Throws
// Error(kEnvironment), naming those that exist, when neither has this name.
std::string RequireDevice(std::string_view name);

// Of a name that no device which opens goes by: why there is none. Absent where there is one that
// does not open, or no device at all.
std::optional<Error> WhyNoDevice(std::string_view name);
// What is said of a device without such a port.
Error NoSuchPort(const DeviceInfo& device, int number);
// What is said of a port that has no GID of such an index.
Error NoSuchGid(const DeviceInfo& device, const PortInfo& port, int gid_index);

// All devices, also with ports down. `failures` says for each that did not open why.
std::vector<Device> OpenDevices(std::vector<Error>& failures);
// What they are. `skipped` has the texts of the failures.
std::vector<DeviceInfo> ListDevices(std::vector<std::string>* skipped);

// Throws Error(kEnvironment) that says that there is none, and what to do.
[[noreturn]] void ThrowNoDevice();

}  // namespace rdmabench
