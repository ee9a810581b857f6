// The way of a device's data between it and memory: its PCIe links, and what translates or
// redirects its requests.
#pragma once

#include <vector>

#include "transport/finding.h"
#include "transport/machine.h"

namespace rdmabench {

std::vector<Symptom> CheckPcieLink(const Machine& machine);
std::vector<Symptom> CheckMaxPayload(const Machine& machine);
std::vector<Symptom> CheckReadRequest(const Machine& machine);
std::vector<Symptom> CheckIommu(const Machine& machine);
std::vector<Symptom> CheckAcs(const Machine& machine);

}  // namespace rdmabench
