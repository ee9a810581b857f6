// What a device and its ports are and can do, as the verbs and sysfs tell.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/gid.h"
#include "transport/pcie.h"

namespace rdmabench {

struct PortInfo {
  int number = 1;
  ibv_port_state state = IBV_PORT_NOP;
  std::string link_layer;  // "infiniband", "ethernet"
  std::uint32_t active_mtu_bytes = 0;
  std::uint32_t max_mtu_bytes = 0;
  std::uint16_t lid = 0;
  bool grh_required = false;        // IBV_QPF_GRH_REQUIRED, and every Ethernet port
  std::optional<double> link_gbps;  // speed × width; absent where the driver invents it (rxe, siw)
  // What it is made of: of a lane "EDR", and how many lanes. Empty and 0 where it is absent.
  std::string link_lane;
  unsigned link_lanes = 0;
  // Rate of the bits of packets: link_gbps without the line code, or what the network interface
  // says; absent where both are made up.
  std::optional<double> data_gbps;
  std::vector<Gid> gids;  // entries in use
};

struct DeviceLimits {
  std::uint32_t max_qp = 0, max_qp_wr = 0, max_cq = 0, max_cqe = 0, max_sge = 0;
  std::uint32_t max_mr = 0, max_rd_atom = 0, max_init_rd_atom = 0;
  std::uint32_t max_srq_wr = 0;  // 0: no shared receive queues
  std::uint64_t max_mr_bytes = 0;
  bool atomics = false;
};

struct DeviceInfo {
  std::string name;      // "mlx5_0", "rxe0"
  std::string driver;    // kernel driver: "mlx5_core", "rdma_rxe"; empty when not known
  std::string firmware;  // empty when the driver has none
  std::string netdev;    // network interface; empty when none is known
  std::optional<std::string>
      pcie_address;  // "0000:3b:00.0", of the device or, for software devices, of its netdev
  std::vector<PcieHop> pcie_path;  // from that address to the root
  std::optional<PcieLink> pcie;    // absent for software devices, whose data take other ways, too
  DeviceLimits limits;
  std::vector<PortInfo> ports;
};

// Asks the opened device and sysfs. Throws Error(kEnvironment).
DeviceInfo QueryDevice(ibv_context* context);

// The network interface of the port; empty when none is known.
std::string NetdevOf(const DeviceInfo& device, const PortInfo& port);

// The port of this number; null where the device has none.
const PortInfo* FindPort(const DeviceInfo& device, int number);

std::string_view PortStateName(ibv_port_state state);  // "active", "down", …
// 256 … 4096 ↔ IBV_MTU_256 … IBV_MTU_4096. Throws Error(kUsage) for any other number, naming the
// legal ones.
ibv_mtu MtuFromBytes(std::uint32_t bytes);
std::uint32_t MtuBytes(ibv_mtu mtu);

}  // namespace rdmabench
