// Memory of a GPU: allocated, filled, exported for a device to reach.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "transport/cuda_driver.h"
#include "transport/descriptor.h"

namespace rdmabench {

// What a GPU maps and pins for others at once.
inline constexpr std::size_t kGpuPageBytes = std::size_t{64} << 10;

// A GPU's primary context, which all that use CUDA in this process share.
class CudaContext {
 public:
  // Throws Error(kEnvironment).
  CudaContext(std::shared_ptr<const CudaDriver> driver, const Gpu& gpu);
  CudaContext(const CudaContext&) = delete;
  CudaContext& operator=(const CudaContext&) = delete;
  ~CudaContext();

  // Makes it the calling thread's, as calls about its memory require.
  cuda::Result Enter() const;
  const CudaDriver& driver() const { return *driver_; }

 private:
  std::shared_ptr<const CudaDriver> driver_;
  cuda::Device device_ = 0;
  cuda::Context context_ = nullptr;
};

// A dma-buf, or the reason why there is none.
struct DmabufExport {
  Descriptor file;
  std::string why_not;  // empty: `file` is one
};

// Starts and ends at pages of the GPU. Any thread may use it.
class CudaAllocation {
 public:
  // Throws Error(kEnvironment).
  CudaAllocation(std::shared_ptr<const CudaDriver> driver, const Gpu& gpu, std::size_t bytes);

  const Gpu& gpu() const { return gpu_; }
  const CudaDriver& driver() const { return context_.driver(); }
  cuda::Address address() const;
  // Comes back when it is done. Throws Error(kEnvironment).
  void Fill(std::byte value) const;
  DmabufExport ExportDmabuf() const;

 private:
  class Block {
   public:
    Block(const CudaContext& context, const Gpu& gpu, std::size_t bytes);
    Block(const Block&) = delete;
    Block& operator=(const Block&) = delete;
    ~Block();
    cuda::Address address() const { return address_; }

   private:
    const CudaContext& context_;
    cuda::Address address_ = 0;
  };

  Gpu gpu_;
  std::size_t bytes_;    // of whole pages
  CudaContext context_;  // outlives what is allocated in it
  Block block_;
};

}  // namespace rdmabench
