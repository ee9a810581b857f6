// rdmabench status HOST: what a server is doing.
#pragma once

#include "cmd/options.h"

namespace rdmabench {

// Prints it. Throws Error, also when the server does not answer.
void RunStatusCommand(const Options& options);

}  // namespace rdmabench
