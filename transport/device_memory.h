// Memory of the RDMA device itself: messages do not cross PCIe.
#pragma once

#include "transport/memory_kind.h"

namespace rdmabench {

extern const MemoryKind kDeviceMemory;

}  // namespace rdmabench
