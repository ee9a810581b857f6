// Ordinary memory of this machine, and the parts of it that other kinds share.
#pragma once

#include <cstddef>

#include "transport/memory_kind.h"

namespace rdmabench {

extern const MemoryKind kHostMemory;

// `bytes` as whole pages.
std::size_t WholePages(std::size_t bytes, std::size_t page_bytes);
std::size_t SystemPageBytes();

// Has to come before the first touch, which is when a page gets its place. Throws
// Error(kEnvironment).
void BindToNode(void* data, std::size_t bytes, unsigned node);
// Gives every page its place, and returns 0 or the errno value where one cannot be had, which at a
// touch would end the process. Kernels before 5.14 cannot do it; then it returns 0, too.
int Populate(void* data, std::size_t bytes);

// Of a kind that every machine has.
std::optional<std::string> AlwaysThere(ibv_context* context);

// By the address that the CPU uses. Throws Error(kEnvironment); when the memlock limit is the cause
// the text has the limit, the need, and how to raise it.
Registration RegisterByAddress(ibv_pd* pd, const Buffer& buffer, int access);
// The same of what is called `what`, with a remedy where the limit is not the cause.
Registration RegisterByAddress(ibv_pd* pd, const Buffer& buffer, int access,
                               const std::string& what, const std::string& other_remedy);
void FillByCpu(const Buffer& buffer, std::byte value);

}  // namespace rdmabench
