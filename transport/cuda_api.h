// The functions of NVIDIA's driver library that are used, under the names that it exports and with
// the types that the CUDA Driver API documents for them. They are never linked: cuda_driver.cc
// looks them up, and a test's double defines them, so that both agree with this file.
#pragma once

#include <cstddef>

namespace rdmabench::cuda {

using Result = int;                  // CUresult
using Device = int;                  // CUdevice
using Address = unsigned long long;  // CUdeviceptr
using Context = struct ContextTag*;  // CUcontext

inline constexpr Result kSuccess = 0;
inline constexpr int kGpuDirectRdmaSupported = 116;  // CU_DEVICE_ATTRIBUTE_…
inline constexpr int kDmabufSupported = 124;         // CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED
inline constexpr int kSyncMemops = 6;                // CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
inline constexpr int kDmabufHandle = 1;              // CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD

extern "C" {
Result cuInit(unsigned flags);
Result cuDriverGetVersion(int* version);  // 12040 for 12.4
Result cuGetErrorString(Result error, const char** text);
Result cuDeviceGetCount(int* count);
Result cuDeviceGet(Device* device, int index);
Result cuDeviceGetName(char* name, int bytes, Device device);
Result cuDeviceGetPCIBusId(char* address, int bytes, Device device);
Result cuDeviceGetAttribute(int* value, int attribute, Device device);
Result cuDevicePrimaryCtxRetain(Context* context, Device device);
Result cuDevicePrimaryCtxRelease_v2(Device device);
Result cuCtxSetCurrent(Context context);
Result cuCtxSynchronize();
Result cuMemAlloc_v2(Address* address, std::size_t bytes);
Result cuMemFree_v2(Address address);
Result cuMemsetD8_v2(Address address, unsigned char value, std::size_t bytes);
Result cuPointerSetAttribute(const void* value, int attribute, Address address);
// Since CUDA 11.7. Address and size are multiples of the host's page.
Result cuMemGetHandleForAddressRange(void* handle, Address address, std::size_t bytes, int type,
                                     unsigned long long flags);
}

}  // namespace rdmabench::cuda
