// Memory whose pages the device asks for when it needs them (on-demand paging): nothing is locked.
#pragma once

#include "transport/memory_kind.h"

namespace rdmabench {

extern const MemoryKind kOdpMemory;

}  // namespace rdmabench
