#include "transport/cuda_driver.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "transport/cuda_functions.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

constexpr std::string_view kSeeTheDriver =
    "does nvidia-smi show the GPU? A container needs it passed in (--gpus all), and "
    "CUDA_VISIBLE_DEVICES hides those that it does not name";

// What dlopen has to say of its failure, without the name that we say ourselves.
std::string LoaderWords(const std::string& name) {
  const char* words = dlerror();
  std::string text = words == nullptr ? "no reason given" : words;
  if (const std::string prefix = name + ": "; text.starts_with(prefix))
    text.erase(0, prefix.size());
  return text;
}

}  // namespace

// Never unloaded: libcuda has threads of its own, and functions that run when the process ends.
CudaLibrary::CudaLibrary(const std::string& name)
    : name_(name), handle_(dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)) {
  if (handle_ != nullptr) return;
  throw Error(Blame::kEnvironment,
              name + ", the library of NVIDIA's driver, cannot be loaded: " + LoaderWords(name),
              "install NVIDIA's driver with its CUDA library, or take another kind of memory");
}

CudaSymbol CudaLibrary::Optional(const char* symbol) const { return {dlsym(handle_, symbol)}; }

CudaSymbol CudaLibrary::Required(const char* symbol) const {
  const CudaSymbol found = Optional(symbol);
  if (found.address != nullptr) return found;
  throw Error(Blame::kEnvironment, name_ + " has no " + symbol,
              "is it the library of NVIDIA's driver? CUDA 11 or newer has all that is needed");
}

std::string Describe(const Gpu& gpu) {
  return "GPU " + std::to_string(gpu.index) + " (" + gpu.name + ", " + gpu.pcie_address + ")";
}

CudaDriver::CudaDriver(const std::string& library)
    : functions_(new CudaFunctions{.library = CudaLibrary(library)}) {
  Check(functions_->init(0), "cannot initialize CUDA in NVIDIA's driver", kSeeTheDriver);
}

CudaDriver::~CudaDriver() = default;

std::string CudaDriver::Version() const {
  int version = 0;
  Check(functions_->driver_version(&version), "cannot ask for the version of CUDA");
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

std::vector<Gpu> CudaDriver::Gpus() const {
  int count = 0;
  Check(functions_->device_count(&count), "cannot count the GPUs", kSeeTheDriver);
  if (count < 1) {
    throw Error(Blame::kEnvironment, "CUDA has no GPU here", std::string(kSeeTheDriver));
  }
  std::vector<Gpu> gpus;
  gpus.reserve(static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index) gpus.push_back(Ask(index));
  return gpus;
}

Gpu CudaDriver::Ask(int index) const {
  const std::string gpu = "GPU " + std::to_string(index);
  cuda::Device device = 0;
  Check(functions_->device(&device, index), "cannot get " + gpu);
  std::array<char, 256> text{};
  constexpr int kBytes = text.size();
  Check(functions_->device_name(text.data(), kBytes, device), "cannot ask for the name of " + gpu);
  Gpu answer{.index = index,
             .name = text.data(),
             .pcie_address = {},
             .exports_dmabuf = {},
             .has_gpudirect = {}};
  Check(functions_->pci_address(text.data(), kBytes, device),
        "cannot ask for the PCIe address of " + gpu);
  answer.pcie_address = text.data();
  // CUDA writes it in capitals, sysfs does not.
  std::transform(answer.pcie_address.begin(), answer.pcie_address.end(),
                 answer.pcie_address.begin(), [](unsigned char c) { return std::tolower(c); });
  const auto has = [&](int attribute) -> std::optional<bool> {
    int value = 0;
    if (functions_->attribute(&value, attribute, device) != cuda::kSuccess) return std::nullopt;
    return value != 0;
  };
  answer.exports_dmabuf = has(cuda::kDmabufSupported);
  answer.has_gpudirect = has(cuda::kGpuDirectRdmaSupported);
  return answer;
}

std::string CudaDriver::WithReason(std::string_view attempted, cuda::Result result) const {
  const char* words = nullptr;
  functions_->error_string(result, &words);
  return std::string(attempted) + ": " + (words == nullptr ? "unknown error" : words) +
         " (CUDA error " + std::to_string(result) + ")";
}

void CudaDriver::Check(cuda::Result result, std::string_view attempted,
                       std::string_view remedy) const {
  if (result == cuda::kSuccess) return;
  throw Error(Blame::kEnvironment, WithReason(attempted, result), std::string(remedy));
}

}  // namespace rdmabench
