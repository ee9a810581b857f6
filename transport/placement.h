// Where one side's threads and memory go, decided from what is known of its machine.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdmabench {

// A physical core, or a cpu of a machine that shows no cores.
struct Core {
  std::vector<unsigned> cpus;    // that this process may use, by number
  std::optional<unsigned> node;  // absent: not known
  bool has_cpu0 = false;         // which serves the system
};

struct NumaNode {
  unsigned number = 0;
  std::vector<unsigned> cpus;  // by number, also those that this process may not use
  bool is_usable = true;       // its memory
};

struct NodeDistance {
  unsigned from = 0;
  unsigned to = 0;
  unsigned distance = 0;
};

// What is known of a machine's cores and memory.
struct CoreMap {
  std::vector<Core> cores;  // without those of which this process may use nothing
  std::vector<NumaNode> nodes;
  std::vector<NodeDistance> distances;

  bool HasOneNode() const { return nodes.size() <= 1; }
  const NumaNode* FindNode(unsigned number) const;  // null: there is none
  // As the firmware tells it, 10 within a node.
  std::optional<unsigned> Distance(unsigned from, unsigned to) const;
  const Core* CoreOf(unsigned cpu) const;  // null: not usable
};

// What identifies a device to the topology.
struct DevicePosition {
  std::string rdma_name;                    // "mlx5_0"
  std::optional<std::string> pcie_address;  // of the device, or of its netdev for software devices
  std::string netdev;
};

// What a user decides.
struct PlacementChoice {
  std::vector<unsigned> cpus = {};         // workers on these, in this order; empty: chosen
  std::optional<unsigned> numa_node = {};  // of memory and workers; absent: the device's
  bool pin = true;
  // How they are spelled where they were given, which may be the other side.
  std::string_view cpus_option = "--cpus";
  std::string_view node_option = "--numa-node";
};

std::string NumaNodeName(unsigned number);  // "NUMA node 1"

struct PlacementRequest {
  DevicePosition device;
  std::size_t workers = 1;
  PlacementChoice choice = {};
  std::vector<unsigned> busy_cpus = {};  // with other work, such as the device's interrupts
};

struct Placement {
  std::optional<unsigned> device_node;  // NUMA node of the device; absent when not known
  std::vector<unsigned> worker_cpus;    // one a worker (OS numbers); empty: not pinned
  std::vector<unsigned> worker_nodes;   // of these; empty where there is one, or not known
  std::size_t worker_cores = 0;         // distinct physical ones
  // The physical core of each worker, by the first of its cpus that this process may use.
  std::vector<unsigned> core_of_worker = {};
  std::optional<unsigned> session_cpu;  // no worker's of any device; absent: none is left
  std::optional<unsigned> memory_node;  // absent: nothing to choose
  std::optional<unsigned> distance;     // the largest of a worker or the memory to the device
  std::vector<std::string> reasons;     // why, in a few words each

  std::string Reason() const;  // in a sentence, for the report
};

// The usable cpus of the node, or of the machine: one of each physical core, then their siblings;
// in each part first the quiet cores, then those that have busy cpus, last the core of cpu 0.
std::vector<unsigned> CpusInOrder(const CoreMap& map, std::optional<unsigned> node,
                                  std::span<const unsigned> busy_cpus);

// Of the devices of one side, each on its node. Workers come first, those of each device in turn,
// on cpus that no other device's have while there are any; the session gets what they leave.
// Throws Error(kEnvironment) when a choice names what this process may not use.
std::vector<Placement> Place(const CoreMap& map,
                             std::span<const std::optional<unsigned>> device_nodes,
                             std::span<const PlacementRequest> requests);

}  // namespace rdmabench
