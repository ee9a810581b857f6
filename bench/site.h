// What one side uses for all tests of a session: its device and port, its place in the machine, its
// clock.
#pragma once

#include <cstddef>
#include <string_view>

#include "bench/agreement.h"
#include "bench/clock.h"
#include "bench/local.h"
#include "report/report.h"
#include "transport/device.h"
#include "transport/locality.h"

namespace rdmabench {

struct Site {
  // Opens the device that `local` names, or that belongs to `session_ip`, and chooses processors
  // for so many workers. Throws Error(kEnvironment).
  Site(const Local& local, std::string_view session_ip, std::size_t workers);

  Device device;
  PortInfo port;
  Offer offer;
  Locality locality;
  Placement placement;
  TickClock clock;
  MemoryArguments memory_arguments;
};

// Throws Error(kEnvironment) when this machine cannot grant the choice, before there is a session.
void CheckPlacement(const PlacementChoice& choice);

// This side for the report. `gid` is the one that the tests used, when one was.
report::Host DescribeSite(const Site& site, std::string_view role, const std::optional<Gid>& gid);
report::Gid DescribeGid(const Gid& gid);

}  // namespace rdmabench
