// rdmabench doctor [HOST]: what makes a machine, or two of them, bad to measure on.
#pragma once

#include "cmd/options.h"

namespace rdmabench {

// Prints what is found, also when the server does not answer: then throws that Error after it.
// Throws Error(kVerdict) when something is severe.
void RunDoctorCommand(const Options& options);

}  // namespace rdmabench
