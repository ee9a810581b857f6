#include "transport/cuda_allocation.h"

#include <utility>

#include "transport/cuda_functions.h"

namespace rdmabench {
namespace {

std::size_t WholeGpuPages(std::size_t bytes) {
  return (bytes + kGpuPageBytes - 1) / kGpuPageBytes * kGpuPageBytes;
}

}  // namespace

CudaContext::CudaContext(std::shared_ptr<const CudaDriver> driver, const Gpu& gpu)
    : driver_(std::move(driver)) {
  const CudaFunctions& cuda = driver_->functions();
  driver_->Check(cuda.device(&device_, gpu.index), "cannot get " + Describe(gpu));
  driver_->Check(cuda.retain_context(&context_, device_),
                 "cannot make a context on " + Describe(gpu),
                 "nvidia-smi shows who holds the GPU's memory, and its compute mode");
}

CudaContext::~CudaContext() { driver_->functions().release_context(device_); }

cuda::Result CudaContext::Enter() const { return driver_->functions().set_context(context_); }

CudaAllocation::Block::Block(const CudaContext& context, const Gpu& gpu, std::size_t bytes)
    : context_(context) {
  const CudaDriver& driver = context_.driver();
  driver.Check(context_.Enter(), "cannot use the context on " + Describe(gpu));
  driver.Check(
      driver.functions().allocate(&address_, bytes),
      "cannot allocate " + std::to_string(bytes) + " bytes on " + Describe(gpu),
      "use fewer or smaller messages, or fewer queue pairs; nvidia-smi shows who holds the "
      "GPU's memory");
}

CudaAllocation::Block::~Block() {
  context_.Enter();
  context_.driver().functions().release(address_);
}

// A page more than needed, since a block starts anywhere.
CudaAllocation::CudaAllocation(std::shared_ptr<const CudaDriver> driver, const Gpu& gpu,
                               std::size_t bytes)
    : gpu_(gpu),
      bytes_(WholeGpuPages(bytes)),
      context_(std::move(driver), gpu),
      block_(context_, gpu, bytes_ + kGpuPageBytes) {
  // Otherwise CUDA's own copies and fills may still be under way when they have returned, and a
  // device would see memory as it was before.
  const unsigned on = 1;
  context_.driver().Check(
      context_.driver().functions().set_attribute(&on, cuda::kSyncMemops, block_.address()),
      "cannot have operations on the memory of " + Describe(gpu) + " synchronized");
}

cuda::Address CudaAllocation::address() const {
  return WholeGpuPages(static_cast<std::size_t>(block_.address()));
}

void CudaAllocation::Fill(std::byte value) const {
  const CudaFunctions& cuda = driver().functions();
  const std::string attempted = "cannot fill memory of " + Describe(gpu_);
  driver().Check(context_.Enter(), attempted);
  driver().Check(cuda.fill(address(), std::to_integer<unsigned char>(value), bytes_), attempted);
  driver().Check(cuda.synchronize(), attempted);
}

DmabufExport CudaAllocation::ExportDmabuf() const {
  int file = -1;
  cuda::Result result = context_.Enter();
  if (result == cuda::kSuccess) {
    result = driver().functions().export_range(&file, address(), bytes_, cuda::kDmabufHandle, 0);
  }
  if (result != cuda::kSuccess) return {{}, driver().WithReason("CUDA exports none", result)};
  return {Descriptor(file), {}};
}

}  // namespace rdmabench
