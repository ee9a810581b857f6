// What the driver of a network interface tells: what it counts by itself, as `ethtool -S` shows it,
// and what link it could have.
#pragma once

#include <cstdint>
#include <optional>
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

// Gb/s of the fastest link mode that the interface supports; absent where its driver does not tell.
std::optional<double> MostGbps(const std::string& netdev);

}  // namespace rdmabench
