// How fast a port's link is: its lanes, and the name and rate of one.
#pragma once

#include <optional>
#include <string_view>

namespace rdmabench {

struct LinkSpeed {
  std::string_view lane;   // "EDR"
  unsigned lanes = 0;      // in use
  double gbps = 0.0;       // of all lanes, as the kernel's file `rate` and ibstat show it
  double data_gbps = 0.0;  // what InfiniBand's line code leaves of the signalling rate
};

// By a port's active_speed and active_width; absent for codes that are none. `rate` is what the
// port's file of this name has, "800 Gb/sec (4X XDR)": the kernel tells the verbs of no speed above
// NDR, also where there is one.
std::optional<LinkSpeed> FindLinkSpeed(int active_speed, int active_width, std::string_view rate);

}  // namespace rdmabench
