// What a report says of the machines between which was measured.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A namespace of its own: transport/ has a Device, a Gid and a Placement, which are things and not
// their description.
namespace rdmabench::report {

struct Gid {
  int index = 0;
  std::string type = {};  // "infiniband", "roce_v1", "roce_v2"
  std::string text = {};
};

// The slowest PCIe link between a device and the processor.
struct Pcie {
  double gigatransfers_per_second = 0.0;  // of a lane
  std::uint32_t lanes = 0;
  std::optional<std::uint32_t> max_payload_bytes = {};
};

struct Device {
  std::string name = {};
  std::optional<std::string> driver = {};
  std::optional<std::string> firmware = {};
  std::optional<std::string> netdev = {};
  std::optional<std::string> pcie_address = {};
  int port = 1;
  std::string link_layer = {};  // "infiniband", "ethernet"
  std::optional<double> link_gbps = {};
  std::optional<double> data_gbps = {};  // of the bits of packets
  std::optional<Pcie> pcie = {};
  std::uint32_t active_mtu_bytes = 0;
  std::optional<std::uint32_t> lid = {};
  std::optional<Gid> gid = {};
};

// Of a placement's reason, at most: a longer one is cut.
inline constexpr std::size_t kMostReasonBytes = 1024;

struct Placement {
  std::optional<unsigned> device_node = {};
  std::vector<unsigned> worker_cpus = {};   // one a worker; empty: not pinned
  std::vector<unsigned> worker_nodes = {};  // of these
  std::size_t worker_cores = 0;             // distinct physical ones
  std::vector<unsigned> ran_on_cpus = {};   // one a worker, when its last run ended
  std::vector<unsigned> ran_on_nodes = {};  // of these
  std::optional<unsigned> session_cpu = {};
  std::optional<unsigned> memory_node = {};
  std::optional<double> pages_on_node = {};  // share of those asked about: the least of all tests
  // The largest of a worker, where it was put or ran, or of the memory to the device.
  std::optional<unsigned> distance = {};
  std::string reason = {};
};

struct Clock {
  std::string source = {};  // "tsc", "clock_gettime"
  double ns_per_tick = 1.0;
  std::optional<double> drift_ppm = {};
};

// One of several devices.
struct HostRail {
  Device device = {};
  Placement placement = {};
  std::string paired_by = {};  // of the server's: "subnet", … as schema.json has them
};

struct Host {
  std::string role = {};  // "client", "server"
  std::string name = {};
  std::optional<std::string> address = {};
  std::optional<std::string> boot_id = {};  // the same on both sides: they are one machine
  std::optional<std::string> kernel = {};
  std::optional<std::string> cpu = {};
  std::optional<std::string> governor = {};
  std::optional<Clock> clock = {};
  std::optional<Device> device = {};  // the first one
  std::optional<Placement> placement = {};
  std::vector<HostRail> rails = {};  // all of them, where there are several

  // Null where there is none at this place.
  const Device* DeviceAt(std::size_t rail) const {
    if (!rails.empty()) return rail < rails.size() ? &rails[rail].device : nullptr;
    return rail == 0 && device ? &*device : nullptr;
  }
};

}  // namespace rdmabench::report
