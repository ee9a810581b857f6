// Signals that are read from a descriptor and never interrupt anything.
#pragma once

#include <csignal>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "transport/descriptor.h"

namespace rdmabench {

sigset_t SignalSet(std::initializer_list<int> signals);

// Blocks them in the calling thread, and so in all that it starts later. The descriptor is readable
// when one has come. `names`, for errors: "SIGINT and SIGTERM".
Descriptor BlockSignals(const sigset_t& signals, std::string_view names);

// The number of one that has come, which is taken; absent where none has.
std::optional<int> TakeSignal(const Descriptor& signals);

// In the calling thread. Async-signal-safe.
void UnblockSignals(const sigset_t& signals);

}  // namespace rdmabench
