// rdmabench TEST HOST: the client.
#pragma once

#include "cmd/options.h"

namespace rdmabench {

// Measures and writes the report, also when the run fails: then throws the Error after that.
void RunTestCommand(const Options& options);

}  // namespace rdmabench
