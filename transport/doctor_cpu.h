// How fast the processors run, how deep they sleep, and who moves interrupts about.
#pragma once

#include <vector>

#include "transport/finding.h"
#include "transport/machine.h"

namespace rdmabench {

std::vector<Symptom> CheckGovernor(const Machine& machine);
std::vector<Symptom> CheckTurbo(const Machine& machine);
std::vector<Symptom> CheckIdleStates(const Machine& machine);
std::vector<Symptom> CheckIrqbalance(const Machine& machine);

// The governor of all processors, or the different ones; empty where none is told.
std::string Governors(const FileTree& files);

}  // namespace rdmabench
