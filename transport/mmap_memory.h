// A file that is mapped shared: of a tmpfs, or a device of persistent or other memory
// (/dev/dax0.0). What stands in it is overwritten.
#pragma once

#include "transport/memory_kind.h"

namespace rdmabench {

extern const MemoryKind kMmapMemory;

}  // namespace rdmabench
