// The options of message memory.
#pragma once

#include "bench/local.h"
#include "bench/memory_options.h"

namespace CLI {
class App;
}

namespace rdmabench {

// Of a test. What --memory says of the client's own memory goes to `arguments`.
void AddMemoryOptions(CLI::App& app, MemoryOptions& memory, MemoryArguments& arguments);
// Of a command whose tests say which kind: which one of a kind is this side's.
void AddMemoryArguments(CLI::App& app, MemoryArguments& arguments);

}  // namespace rdmabench
