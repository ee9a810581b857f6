#include "cmd/sample_devices.h"

#include <cstdint>
#include <string>

namespace rdmabench {
namespace {

Gid MakeGid(int index, GidType type, const char* text, const char* netdev) {
  return {.index = index, .type = type, .raw = ParseGid(text), .netdev = netdev};
}

PortInfo MakePort(ibv_port_state state, const char* link_layer, std::uint32_t active_mtu_bytes) {
  PortInfo port;
  port.state = state;
  port.link_layer = link_layer;
  port.active_mtu_bytes = active_mtu_bytes;
  port.max_mtu_bytes = 4096;
  return port;
}

std::vector<unsigned> Cpus(unsigned first, unsigned count) {
  std::vector<unsigned> cpus;
  for (unsigned cpu = first; cpu < first + count; ++cpu) cpus.push_back(cpu);
  return cpus;
}

// An adapter of generation 4 behind a switch that has but eight lanes of generation 3.
ListedDevice Adapter() {
  ListedDevice device;
  device.info.name = "mlx5_0";
  device.info.driver = "mlx5_core";
  device.info.firmware = "28.39.1002";
  device.info.netdev = "ib0";
  device.info.pcie_address = "0000:3b:00.0";
  const PcieLink gen4{.gigatransfers_per_second = 16.0, .lanes = 16, .max_payload_bytes = {}};
  const PcieLink gen3{.gigatransfers_per_second = 8.0, .lanes = 8, .max_payload_bytes = {}};
  device.info.pcie_path = {{"0000:3b:00.0", gen4, PcieLink{32.0, 16, {}}},
                           {"0000:3a:00.0", gen3, gen4}};
  device.numa_node = 1;
  device.local_cpus = Cpus(17, 15);
  device.local_cpus.push_back(16);
  for (const unsigned sibling : Cpus(48, 16)) device.local_cpus.push_back(sibling);
  device.info.limits = {.max_qp = 131072,
                        .max_qp_wr = 32768,
                        .max_cq = 16777216,
                        .max_cqe = 4194303,
                        .max_sge = 30,
                        .max_mr = 16777216,
                        .max_rd_atom = 16,
                        .max_init_rd_atom = 16,
                        .max_srq_wr = 32767,
                        .max_mr_bytes = ~std::uint64_t{0},
                        .atomics = true};
  device.max_inline_bytes = 956;
  device.memory_kinds = {{"host", "", {}},
                         {"huge2m", "", {}, "40 free on NUMA node 1"},
                         {"odp", "", {}},
                         {"cuda", "", "no libcuda.so.1"}};
  PortInfo port = MakePort(IBV_PORT_ACTIVE, "infiniband", 4096);
  port.lid = 7;
  port.link_gbps = port.data_gbps = 200.0;
  port.link_lane = "HDR";
  port.link_lanes = 4;
  port.gids = {MakeGid(0, GidType::kInfiniBand, "fe80::b859:9f03:d4:1234", "")};
  device.info.ports = {port};
  return device;
}

// Its second port has no link, and of its place on the bus nothing is told.
ListedDevice OldAdapter() {
  ListedDevice device;
  device.info.name = "mlx4_0";
  device.info.driver = "mlx4_core";
  device.info.firmware = "2.42.5000";
  device.info.netdev = "eth2";
  device.local_cpus = Cpus(0, 4);
  device.info.limits.max_qp = 393144;
  device.info.limits.max_cqe = 4194303;
  device.memory_kinds = {{"host", "", {}},
                         {"huge2m", "", {}, "48 free"},
                         {"odp", "", "the device has no on-demand paging"},
                         {"cuda", "", "no libcuda.so.1"}};
  PortInfo port = MakePort(IBV_PORT_ACTIVE, "ethernet", 1024);
  port.link_gbps = 40.0;
  port.data_gbps = 40.0;
  port.link_lane = "QDR";
  port.link_lanes = 4;
  port.gids = {MakeGid(0, GidType::kRoceV1, "fe80::202:c9ff:fe00:1", "eth2"),
               MakeGid(1, GidType::kRoceV2, "::ffff:10.0.0.1", "eth2")};
  PortInfo down = MakePort(IBV_PORT_DOWN, "ethernet", 1024);
  down.number = 2;
  down.gids = {MakeGid(0, GidType::kRoceV2, "fe80::202:c9ff:fe00:2", "eth3")};
  device.info.ports = {port, down};
  return device;
}

ListedDevice SoftwareDevice() {
  ListedDevice device;
  device.info.name = "rxe0";
  device.info.driver = "rdma_rxe";
  device.info.netdev = "eth0";
  device.info.pcie_address = "0000:00:03.0";
  device.info.pcie_path = {{"0000:00:03.0", {}, {}}};
  device.local_cpus = {0};
  device.info.limits.max_qp = 1048560;
  device.info.limits.max_qp_wr = 1048576;
  device.info.limits.max_rd_atom = device.info.limits.max_init_rd_atom = 128;
  device.info.limits.atomics = true;
  device.max_inline_bytes = 512;
  device.memory_kinds = {{"host", "", {}},
                         {"huge2m", "", {}, "48 free"},
                         {"odp", "", "the device has no on-demand paging"},
                         {"cuda", "", "no libcuda.so.1"}};
  device.info.ports = {MakePort(IBV_PORT_ACTIVE, "ethernet", 1024)};
  return device;
}

}  // namespace

DeviceListing SampleDevices() {
  return {
      .devices = {Adapter(), OldAdapter(), SoftwareDevice()},
      .skipped = {Error(Blame::kEnvironment, "cannot open mlx5_1: Permission denied",
                        "this user needs to read and write /dev/infiniband/uverbs1"),
                  Error(Blame::kEnvironment, "cannot query port 1 of mlx5_2: Input/output error")}};
}

}  // namespace rdmabench
