// What the driver of a network interface counts by itself, as `ethtool -S` shows it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "transport/counters.h"

namespace rdmabench {

// Those that the table (counter_table.h) knows of the RDMA driver, as "ethtool_rx_prio3_pause".
// Some drivers have thousands, most of them one queue's. Empty where there are none.
PortCounters ReadEthtool(const std::string& netdev, std::string_view driver);

// The known ones of `values`, whose names stand in fields of ETH_GSTRING_LEN bytes each.
PortCounters KnownStatistics(std::string_view names, std::span<const std::uint64_t> values,
                             std::string_view driver);

}  // namespace rdmabench
