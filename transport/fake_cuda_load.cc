#include <dlfcn.h>

#include <stdexcept>

#include "transport/fake_cuda.h"

namespace rdmabench::fake {

FakeCuda& LoadFakeCuda(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* found = library == nullptr ? nullptr : dlsym(library, kFakeCudaState);
  if (found == nullptr) throw std::runtime_error("no double of libcuda: " + std::string(dlerror()));
  return *reinterpret_cast<decltype(RdmabenchFakeCuda)*>(found)();
}

}  // namespace rdmabench::fake
