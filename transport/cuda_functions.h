// The functions of cuda_api.h as they were found in a loaded library. Only the cuda_* files include
// it.
#pragma once

#include <string>

#include "transport/cuda_api.h"

namespace rdmabench {

// A function's address, which becomes a pointer of the type that it is stored as.
struct CudaSymbol {
  void* address = nullptr;
  template <class Function>
  operator Function*() const {
    return reinterpret_cast<Function*>(address);
  }
};

class CudaLibrary {
 public:
  // Throws Error(kEnvironment), as Required() does.
  explicit CudaLibrary(const std::string& name);
  CudaSymbol Required(const char* symbol) const;
  CudaSymbol Optional(const char* symbol) const;  // null where it is missing

 private:
  std::string name_;
  void* handle_;
};

struct CudaFunctions {
  CudaLibrary library;
  decltype(cuda::cuInit)* init = library.Required("cuInit");
  decltype(cuda::cuDriverGetVersion)* driver_version = library.Required("cuDriverGetVersion");
  decltype(cuda::cuGetErrorString)* error_string = library.Required("cuGetErrorString");
  decltype(cuda::cuDeviceGetCount)* device_count = library.Required("cuDeviceGetCount");
  decltype(cuda::cuDeviceGet)* device = library.Required("cuDeviceGet");
  decltype(cuda::cuDeviceGetName)* device_name = library.Required("cuDeviceGetName");
  decltype(cuda::cuDeviceGetPCIBusId)* pci_address = library.Required("cuDeviceGetPCIBusId");
  decltype(cuda::cuDeviceGetAttribute)* attribute = library.Required("cuDeviceGetAttribute");
  decltype(cuda::cuDevicePrimaryCtxRetain)* retain_context =
      library.Required("cuDevicePrimaryCtxRetain");
  decltype(cuda::cuDevicePrimaryCtxRelease_v2)* release_context =
      library.Required("cuDevicePrimaryCtxRelease_v2");
  decltype(cuda::cuCtxSetCurrent)* set_context = library.Required("cuCtxSetCurrent");
  decltype(cuda::cuCtxSynchronize)* synchronize = library.Required("cuCtxSynchronize");
  decltype(cuda::cuMemAlloc_v2)* allocate = library.Required("cuMemAlloc_v2");
  decltype(cuda::cuMemFree_v2)* release = library.Required("cuMemFree_v2");
  decltype(cuda::cuMemsetD8_v2)* fill = library.Required("cuMemsetD8_v2");
  decltype(cuda::cuPointerSetAttribute)* set_attribute = library.Required("cuPointerSetAttribute");
  decltype(cuda::cuMemGetHandleForAddressRange)* export_range =
      library.Optional("cuMemGetHandleForAddressRange");
};

}  // namespace rdmabench
