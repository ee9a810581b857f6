// A double of libcuda.so.1 for unit tests. It is a shared library of its own, so that it is found
// as the real one is: by dlopen, and function by function. A GPU's memory is this process's own: no
// GPU is involved, and it never stands in for a result.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "transport/cuda_api.h"

namespace rdmabench::fake {

struct FakeGpu {
  std::string name = "Fake GPU";
  std::string pcie_address = "0000:3B:00.0";  // in capitals, as CUDA has it
  bool exports_dmabuf = true;
  bool has_gpudirect = true;
};

struct FakeCuda {
  std::vector<FakeGpu> gpus = {FakeGpu{}};
  int version = 12040;
  bool knows_attributes = true;  // of GPUs: false, as of a driver from before there were such
  std::string failing_call = {};
  cuda::Result failing_result = 999;  // "unknown error"
  std::function<void()> on_free = {};

  // What has become of it.
  bool initialized = false;
  int contexts = 0;                             // retained and not released
  std::map<cuda::Address, std::size_t> blocks;  // allocated and not freed, with their bytes
  std::set<cuda::Address> synchronized;         // of them
  unsigned filled = 0;                          // fills that were waited for
  std::vector<std::string> misuses;             // what real memory would not have borne
};

// As it is built, and without what came with CUDA 11.7. Once the first is loaded it is found as
// libcuda.so.1, too.
inline constexpr const char* kFakeCudaLibrary = "transport/fake_libcuda.so";
inline constexpr const char* kOldFakeCudaLibrary = "transport/fake_libcuda_old.so";

// The library's own state, which a test sets and reads while no call is under way.
FakeCuda& LoadFakeCuda(const std::string& path = kFakeCudaLibrary);

// What the library exports for it.
inline constexpr const char* kFakeCudaState = "RdmabenchFakeCuda";
extern "C" FakeCuda* RdmabenchFakeCuda();

}  // namespace rdmabench::fake
