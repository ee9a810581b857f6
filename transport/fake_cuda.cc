#include "transport/fake_cuda.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace rdmabench::fake {
namespace {

constexpr cuda::Result kInvalidValue = 1, kOutOfMemory = 2, kNotInitialized = 3, kNoDevice = 100,
                       kInvalidDevice = 101, kInvalidContext = 201;
// Blocks start there in a page of the GPU, as small ones do on a real one.
constexpr std::size_t kOddStart = 512;
constexpr std::size_t kAlignment = std::size_t{64} << 10;
constexpr std::size_t kMemoryBytes = std::size_t{1} << 30;  // of a GPU

struct Words {
  cuda::Result result;
  const char* text;
};
constexpr Words kWords[] = {
    {kInvalidValue, "invalid argument"},        {kOutOfMemory, "out of memory"},
    {kNotInitialized, "initialization error"},  {kNoDevice, "no CUDA-capable device is detected"},
    {kInvalidDevice, "invalid device ordinal"}, {kInvalidContext, "invalid device context"},
    {801, "operation not supported"},           {999, "unknown error"},
};

struct World {
  std::recursive_mutex mutex;
  FakeCuda state;
};

World& TheWorld() {
  static World world;
  return world;
}

// A device's number and one, as a handle.
thread_local cuda::Context current = nullptr;

// Success, or what `call` has to answer before it looks at anything.
cuda::Result Admit(std::string_view call) {
  const FakeCuda& state = TheWorld().state;
  if (state.failing_call == call) return state.failing_result;
  return state.initialized || call == "cuInit" ? cuda::kSuccess : kNotInitialized;
}

// The same of calls about the memory of the current context.
cuda::Result AdmitInContext(std::string_view call) {
  const cuda::Result result = Admit(call);
  if (result != cuda::kSuccess) return result;
  return current != nullptr && TheWorld().state.contexts > 0 ? cuda::kSuccess : kInvalidContext;
}

const FakeGpu* Find(cuda::Device device) {
  const std::vector<FakeGpu>& gpus = TheWorld().state.gpus;
  const auto index = static_cast<std::size_t>(device);
  return device >= 0 && index < gpus.size() ? &gpus[index] : nullptr;
}

// Whether one block has all of it.
bool IsAllocated(cuda::Address address, std::size_t bytes) {
  const auto& blocks = TheWorld().state.blocks;
  return std::any_of(blocks.begin(), blocks.end(), [&](const auto& block) {
    return address >= block.first && address + bytes <= block.first + block.second;
  });
}

cuda::Result Tell(char* into, int bytes, const std::string& text) {
  if (bytes <= static_cast<int>(text.size())) return kInvalidValue;
  std::copy_n(text.c_str(), text.size() + 1, into);
  return cuda::kSuccess;
}

std::byte* BaseOf(cuda::Address block) {
  return reinterpret_cast<std::byte*>(block) - kOddStart;  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

extern "C" FakeCuda* RdmabenchFakeCuda() { return &TheWorld().state; }

}  // namespace rdmabench::fake

namespace rdmabench::cuda {

using namespace rdmabench::fake;

extern "C" {

Result cuInit(unsigned flags) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = Admit("cuInit"); result != kSuccess) return result;
  if (flags != 0) return kInvalidValue;
  TheWorld().state.initialized = true;
  return kSuccess;
}

Result cuDriverGetVersion(int* version) {
  const std::lock_guard lock(TheWorld().mutex);
  *version = TheWorld().state.version;
  return Admit("cuDriverGetVersion");
}

Result cuGetErrorString(Result error, const char** text) {
  const auto* found = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const Words& words) { return words.result == error; });
  *text = found == std::end(kWords) ? nullptr : found->text;
  return *text == nullptr ? kInvalidValue : kSuccess;
}

Result cuDeviceGetCount(int* count) {
  const std::lock_guard lock(TheWorld().mutex);
  *count = static_cast<int>(TheWorld().state.gpus.size());
  return Admit("cuDeviceGetCount");
}

Result cuDeviceGet(Device* device, int index) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = Admit("cuDeviceGet"); result != kSuccess) return result;
  *device = index;
  return Find(index) == nullptr ? kInvalidDevice : kSuccess;
}

Result cuDeviceGetName(char* name, int bytes, Device device) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = Admit("cuDeviceGetName"); result != kSuccess) return result;
  const FakeGpu* gpu = Find(device);
  return gpu == nullptr ? kInvalidDevice : Tell(name, bytes, gpu->name);
}

Result cuDeviceGetPCIBusId(char* address, int bytes, Device device) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = Admit("cuDeviceGetPCIBusId"); result != kSuccess) return result;
  const FakeGpu* gpu = Find(device);
  return gpu == nullptr ? kInvalidDevice : Tell(address, bytes, gpu->pcie_address);
}

Result cuDeviceGetAttribute(int* value, int attribute, Device device) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = Admit("cuDeviceGetAttribute"); result != kSuccess) return result;
  const FakeGpu* gpu = Find(device);
  if (gpu == nullptr) return kInvalidDevice;
  if (!TheWorld().state.knows_attributes) return kInvalidValue;
  switch (attribute) {
    case kDmabufSupported:
      *value = gpu->exports_dmabuf ? 1 : 0;
      return kSuccess;
    case kGpuDirectRdmaSupported:
      *value = gpu->has_gpudirect ? 1 : 0;
      return kSuccess;
    default:
      return kInvalidValue;
  }
}

Result cuDevicePrimaryCtxRetain(Context* context, Device device) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = Admit("cuDevicePrimaryCtxRetain"); result != kSuccess) return result;
  if (Find(device) == nullptr) return kInvalidDevice;
  ++TheWorld().state.contexts;
  *context = reinterpret_cast<Context>(  // NOLINT(performance-no-int-to-ptr)
      static_cast<std::uintptr_t>(device) + 1);
  return kSuccess;
}

Result cuDevicePrimaryCtxRelease_v2(Device device) {
  const std::lock_guard lock(TheWorld().mutex);
  FakeCuda& state = TheWorld().state;
  if (Find(device) == nullptr || state.contexts == 0) {
    state.misuses.emplace_back("a context is released that nobody holds");
    return kInvalidContext;
  }
  if (--state.contexts == 0 && !state.blocks.empty()) {
    state.misuses.emplace_back("a context goes before its memory");
  }
  return kSuccess;
}

Result cuCtxSetCurrent(Context context) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = Admit("cuCtxSetCurrent"); result != kSuccess) return result;
  current = context;
  return kSuccess;
}

Result cuCtxSynchronize() {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = AdmitInContext("cuCtxSynchronize"); result != kSuccess) return result;
  ++TheWorld().state.filled;
  return kSuccess;
}

Result cuMemAlloc_v2(Address* address, std::size_t bytes) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = AdmitInContext("cuMemAlloc_v2"); result != kSuccess) return result;
  if (bytes == 0) return kInvalidValue;
  if (bytes > kMemoryBytes) return kOutOfMemory;
  const std::size_t room = (kOddStart + bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* base = std::aligned_alloc(kAlignment, room);
  if (base == nullptr) return kOutOfMemory;
  *address = reinterpret_cast<std::uintptr_t>(base) + kOddStart;
  TheWorld().state.blocks[*address] = bytes;
  return kSuccess;
}

Result cuMemFree_v2(Address address) {
  const std::lock_guard lock(TheWorld().mutex);
  FakeCuda& state = TheWorld().state;
  if (AdmitInContext("cuMemFree_v2") != kSuccess || state.blocks.count(address) == 0) {
    state.misuses.emplace_back("memory is freed that is not there, or outside of its context");
    return kInvalidValue;
  }
  if (state.on_free) state.on_free();
  state.blocks.erase(address);
  state.synchronized.erase(address);
  std::free(BaseOf(address));
  return kSuccess;
}

Result cuMemsetD8_v2(Address address, unsigned char value, std::size_t bytes) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = AdmitInContext("cuMemsetD8_v2"); result != kSuccess) return result;
  if (!IsAllocated(address, bytes)) return kInvalidValue;
  std::memset(reinterpret_cast<void*>(address), value,  // NOLINT(performance-no-int-to-ptr)
              bytes);
  return kSuccess;
}

Result cuPointerSetAttribute(const void* value, int attribute, Address address) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = AdmitInContext("cuPointerSetAttribute"); result != kSuccess) {
    return result;
  }
  unsigned on = 0;
  std::memcpy(&on, value, sizeof on);
  if (attribute != kSyncMemops || on != 1 || !IsAllocated(address, 1)) return kInvalidValue;
  TheWorld().state.synchronized.insert(address);
  return kSuccess;
}

// Drivers from before CUDA 11.7 have no such function.
#ifndef RDMABENCH_FAKE_CUDA_OLD
Result cuMemGetHandleForAddressRange(void* handle, Address address, std::size_t bytes, int type,
                                     unsigned long long flags) {
  const std::lock_guard lock(TheWorld().mutex);
  if (const Result result = AdmitInContext("cuMemGetHandleForAddressRange"); result != kSuccess) {
    return result;
  }
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const bool whole_pages = address % page == 0 && bytes % page == 0;
  if (type != kDmabufHandle || flags != 0 || !whole_pages || !IsAllocated(address, bytes)) {
    return kInvalidValue;
  }
  const int file = memfd_create("fake dma-buf", MFD_CLOEXEC);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) return kOutOfMemory;
  std::memcpy(handle, &file, sizeof file);
  return kSuccess;
}
#endif

}  // extern "C"

}  // namespace rdmabench::cuda
