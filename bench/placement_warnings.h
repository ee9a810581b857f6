// What a reader has to know of where threads and memory were before believing a number.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/host.h"
#include "transport/placement.h"

namespace rdmabench {

// A sentence each, of both hosts: workers or memory on another NUMA node than the device, workers
// that share a core or ran elsewhere than they should, one machine for both ends.
std::vector<std::string> PlacementWarnings(const std::vector<report::Host>& hosts);

// That workers of several devices of a side share physical cores, though each has a cpu for itself:
// what only the side knows. Empty: they do not.
std::string CoresSharedByDevices(std::span<const Placement> devices);

}  // namespace rdmabench
