// The ports: link, MTU, GIDs, and how congestion is dealt with.
#pragma once

#include <vector>

#include "transport/finding.h"
#include "transport/machine.h"

namespace rdmabench {

std::vector<Symptom> CheckSoftwareDevice(const Machine& machine);
std::vector<Symptom> CheckPortState(const Machine& machine);
std::vector<Symptom> CheckLinkRate(const Machine& machine);
std::vector<Symptom> CheckMtu(const Machine& machine);
std::vector<Symptom> CheckGids(const Machine& machine);
std::vector<Symptom> CheckPfc(const Machine& machine);
std::vector<Symptom> CheckDscpTrust(const Machine& machine);
std::vector<Symptom> CheckEcn(const Machine& machine);

// "0, 3" for the bits of a set; "none".
std::string Priorities(unsigned bits);
// Priorities on which congestion notifications are answered: a bit each; absent where the driver
// does not show it.
std::optional<unsigned> EcnPriorities(const FileTree& files, const std::string& netdev,
                                      const std::string& point);

}  // namespace rdmabench
