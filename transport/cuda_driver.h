// NVIDIA's driver as far as message memory needs it. Its library is loaded when it is asked for:
// the build takes nothing of CUDA, and a machine without it is told what it lacks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "transport/cuda_api.h"

namespace rdmabench {

struct Gpu {
  int index = 0;             // CUDA's, which CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER govern
  std::string name;          // "NVIDIA H100 PCIe"
  std::string pcie_address;  // "0000:3b:00.0"
  // Absent: the driver is older than the question.
  std::optional<bool> exports_dmabuf;
  std::optional<bool> has_gpudirect;  // what peer memory modules use
};

std::string Describe(const Gpu& gpu);  // "GPU 0 (NVIDIA H100 PCIe, 0000:3b:00.0)"

struct CudaFunctions;  // cuda_functions.h

// The library, loaded and initialized.
class CudaDriver {
 public:
  // `library`: as dlopen takes it. Throws Error(kEnvironment).
  explicit CudaDriver(const std::string& library);
  CudaDriver(const CudaDriver&) = delete;
  CudaDriver& operator=(const CudaDriver&) = delete;
  ~CudaDriver();

  const CudaFunctions& functions() const { return *functions_; }
  // Of CUDA, as the driver has it: "12.4".
  std::string Version() const;
  // At least one; throws Error(kEnvironment) when there is none.
  std::vector<Gpu> Gpus() const;
  // In CUDA's words.
  std::string WithReason(std::string_view attempted, cuda::Result result) const;
  // Throws Error(kEnvironment) unless `result` is success.
  void Check(cuda::Result result, std::string_view attempted, std::string_view remedy = {}) const;

 private:
  Gpu Ask(int index) const;

  std::unique_ptr<const CudaFunctions> functions_;
};

}  // namespace rdmabench
