// What sysfs knows about an RDMA device and the verbs do not: its driver, its network interface,
// its place on the bus.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rdmabench {

struct SysfsFacts {
  std::string driver;                       // "mlx5_core", "rdma_rxe"; empty when not known
  std::string netdev;                       // of the device's first port; empty when none is known
  std::optional<std::string> pcie_address;  // of the device or, for software devices, of its netdev
  // Of the interface, where something below it has a link: virtual ones make up a speed, or have
  // -1.
  std::optional<double> netdev_gbps;
};

// `root` is "/sys", or a copy of its structure in tests.
SysfsFacts ReadSysfs(std::string_view root, std::string_view device);

// What the kernel says of a port's link, "100 Gb/sec (4X EDR)"; empty when there is no such port.
std::string PortRate(std::string_view root, std::string_view device, int port);

// The RDMA devices that the kernel has, whether or not the verbs library sees them.
std::vector<std::string> KernelDevices(std::string_view root);

// True for drivers that run on any network interface, without hardware of their own.
bool IsSoftwareDriver(std::string_view driver);

}  // namespace rdmabench
