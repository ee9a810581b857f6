// What the two ends' GIDs tell of the way between them: before anything is sent, and when nothing
// arrives.
#pragma once

#include <string>
#include <vector>

#include "bench/agreement.h"
#include "report/host.h"

namespace rdmabench {

// "the client's GID 1 ::ffff:10.0.1.2 and the server's GID 1 ::ffff:10.0.2.1 are in different
// subnets (/24): is there a router between them?", of the first path of which that is true, by the
// size of the network that this machine's address is in, else by the usual one. Empty: of none. For
// the remedy of a run that stalled, or whose peer did not acknowledge.
std::string PathRemark(const Agreement& agreement);

// The same as warnings, one for each path of which it is true, with the names of its devices.
std::vector<std::string> PathWarnings(const Agreement& agreement,
                                      const std::vector<report::Host>& hosts);

}  // namespace rdmabench
