// rdmabench server: the parent that listens, and the process of one session.
#pragma once

#include <span>
#include <string>

#include "cmd/options.h"

namespace rdmabench {

// Serves until it is told to end. `args` is what the program was called with: a session's process
// is called with the same.
int RunServerCommand(const Options& options, std::span<const std::string> args);

}  // namespace rdmabench
