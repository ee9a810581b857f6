// Whether devices, their interrupts and this process are on one node.
#pragma once

#include <vector>

#include "transport/finding.h"
#include "transport/machine.h"

namespace rdmabench {

std::vector<Symptom> CheckDeviceNode(const Machine& machine);
std::vector<Symptom> CheckInterruptNode(const Machine& machine);

}  // namespace rdmabench
