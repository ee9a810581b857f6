// What the queueing discipline at the root of a network interface counts, as rtnetlink tells it.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "transport/counters.h"

namespace rdmabench {

// "qdisc_drops", "qdisc_overlimits", "qdisc_requeues", "qdisc_packets", "qdisc_bytes" and, which
// goes both ways, "qdisc_backlog_bytes". Empty where the interface or the answer is not there.
PortCounters ReadQdisc(const std::string& netdev);

// Takes one datagram of the answer to RTM_GETQDISC; false: it was the last.
bool TakeQdiscs(std::span<const std::byte> datagram, int interface_index, PortCounters& counters);

}  // namespace rdmabench
