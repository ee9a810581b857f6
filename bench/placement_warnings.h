// What a reader has to know of where threads and memory were before believing a number.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/host.h"
#include "transport/placement.h"

namespace rdmabench {

// A sentence each, of both hosts: workers or memory on another NUMA node than the device, workers
// that ran elsewhere than they should, one machine for both ends.
std::vector<std::string> PlacementWarnings(const std::vector<report::Host>& hosts);

// A device of a side, and where its workers are.
struct PlacedDevice {
  std::string name;
  Placement placement;
};

// That workers share a physical core, be it with each other or with those of another device: only
// the side knows its cores. None where each has one for itself.
std::vector<std::string> SharingWarnings(std::span<const PlacedDevice> devices);

// That the user has named cpus on which nothing runs: `idle`, by `option`. Empty: there are none.
std::string IdleWarning(const std::vector<unsigned>& idle, std::string_view option,
                        std::size_t workers);

}  // namespace rdmabench
