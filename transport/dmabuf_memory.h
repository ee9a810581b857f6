// Memory that reaches the device as a dma-buf, without a GPU: of udmabuf, which wraps pages of this
// process, and of a dma-heap.
#pragma once

#include <optional>
#include <string>

#include "transport/memory_kind.h"

namespace rdmabench {

extern const MemoryKind kUdmabufMemory;
extern const MemoryKind kDmaHeapMemory;

// The system calls on the kernel's devices, which return -1 and set errno.
struct DmabufCalls {
  int (*open)(const char* path);
  int (*control)(int fd, unsigned long request, void* argument);
};
DmabufCalls KernelCalls();

Buffer AllocateUdmabuf(const DmabufCalls& calls, const BufferRequest& request);
// `request.argument`: the heap; empty: "system".
Buffer AllocateDmaHeap(const DmabufCalls& calls, const BufferRequest& request);
Registration RegisterDmabuf(ibv_pd* pd, const Buffer& buffer, int access);
// Why the device registers none; absent: it does.
std::optional<std::string> WhyNoDmabuf(ibv_context* context);

}  // namespace rdmabench
