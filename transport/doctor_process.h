// What this process may have of the machine: locked memory, device files, processors, and the
// limits of its control groups.
#pragma once

#include <vector>

#include "transport/finding.h"
#include "transport/machine.h"

namespace rdmabench {

std::vector<Symptom> CheckMemlock(const Machine& machine);
std::vector<Symptom> CheckHugePages(const Machine& machine);
// No device at all; devices whose file is missing; devices that do not open. Of one cause one of
// the three has a symptom.
std::vector<Symptom> CheckNoDevice(const Machine& machine);
std::vector<Symptom> CheckDeviceFiles(const Machine& machine);
std::vector<Symptom> CheckDeviceOpens(const Machine& machine);
std::vector<Symptom> CheckCpuset(const Machine& machine);
std::vector<Symptom> CheckCpuQuota(const Machine& machine);
std::vector<Symptom> CheckRdmaCgroup(const Machine& machine);

}  // namespace rdmabench
