// What a port and its network interface count, as sysfs tells it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace rdmabench {

using PortCounters = std::map<std::string, std::uint64_t>;
using CounterMoves = std::map<std::string, std::int64_t>;

// Counters of `counters` and `hw_counters`, by name; empty where there are none. `root` is "/sys",
// or a copy of its structure in tests. The kernel tells those of `hw_counters` from a copy that is
// up to `lifespan` milliseconds old (10 unless it was changed), so this first waits for as long.
PortCounters ReadCounters(std::string_view root, std::string_view device, int port);

// Statistics of a network interface, as "netdev_rx_dropped"; empty where there is none.
PortCounters ReadNetdev(std::string_view root, std::string_view netdev);

// What the kernel's IP layer counts of packets that do not get out, as "ip_frag_fails" and
// "ip6_frag_fails": a software device's go through it. `root` is "/proc".
PortCounters ReadIp(std::string_view root);

// Those that have moved, and by how much.
CounterMoves Moves(const PortCounters& before, const PortCounters& after);

}  // namespace rdmabench
