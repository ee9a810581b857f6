// Memory of an NVIDIA GPU. The RDMA device reaches it by dma-buf or, where that cannot be, by
// NVIDIA's peer memory module.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "transport/memory_kind.h"

namespace rdmabench {

extern const MemoryKind kCudaMemory;

// Where the parts of it are looked for. Tests have them elsewhere.
struct CudaSystem {
  std::string library = "libcuda.so.1";
  std::string sysfs = "/sys";
};

// What the row consists of, for any such system.
std::optional<std::string> WhyNoCuda(const CudaSystem& system, ibv_context* context);
// On the GPU that BufferRequest::argument names (cuda_choice.h).
Buffer AllocateCuda(const CudaSystem& system, ibv_pd* pd, const BufferRequest& request);
// `how` has the way that was taken, why those before it were not, and the GPU with the reason why
// it is that one.
Registration RegisterCuda(ibv_pd* pd, const Buffer& buffer, int access);
void FillCuda(const Buffer& buffer, std::byte value);

}  // namespace rdmabench
