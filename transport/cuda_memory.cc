#include "transport/cuda_memory.h"

#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "transport/cuda_allocation.h"
#include "transport/cuda_choice.h"
#include "transport/cuda_driver.h"
#include "transport/cuda_functions.h"
#include "transport/device_sysfs.h"
#include "transport/dmabuf_memory.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

// Behind Buffer::handle().
struct CudaBuffer {
  CudaAllocation memory;
  std::string why_this_gpu;
  std::string sysfs;
};

// A region, or the reason why there is none.
struct Attempt {
  Mr mr = nullptr;
  std::string why_not = {};
};

// Who is to reach whose memory.
struct Candidate {
  ibv_context* context;
  const CudaDriver& driver;
  const Gpu& gpu;
  std::string_view sysfs;
};

// A way in which a device comes to reach a GPU's memory.
struct Way {
  std::string_view name;
  std::string_view how;  // memory was registered
  std::string_view remedy;
  // What is known before it is tried.
  std::optional<std::string> (*why_not)(const Candidate&);
  Attempt (*take)(ibv_pd*, const CudaAllocation&, const Buffer&, int access);
};

std::optional<std::string> DmabufObstacle(const Candidate& candidate) {
  const CudaDriver& driver = candidate.driver;
  if (!candidate.gpu.exports_dmabuf || driver.functions().export_range == nullptr) {
    return "CUDA " + driver.Version() + " has none, 11.7 was the first";
  }
  if (!*candidate.gpu.exports_dmabuf) return "NVIDIA's kernel module exports none of this GPU";
  return WhyNoDmabuf(candidate.context);
}

Attempt TakeDmabuf(ibv_pd* pd, const CudaAllocation& memory, const Buffer& buffer, int access) {
  // The kernel has references of its own to what is registered: the file is not needed any longer.
  const DmabufExport exported = memory.ExportDmabuf();
  if (!exported.why_not.empty()) return {.why_not = exported.why_not};
  Mr mr(ibv_reg_dmabuf_mr(pd, 0, buffer.size(), memory.address(), exported.file.get(), access));
  if (mr != nullptr) return {.mr = std::move(mr)};
  return {.why_not = WithReason("the RDMA device does not take it", errno)};
}

// The module has had two names.
std::optional<std::string> PeermemObstacle(const Candidate& candidate) {
  if (candidate.gpu.has_gpudirect == false) return "the GPU has no GPUDirect RDMA";
  const std::filesystem::path modules = std::filesystem::path(candidate.sysfs) / "module";
  for (const std::string_view module : {"nvidia_peermem", "nv_peer_mem"}) {
    std::error_code error;
    if (std::filesystem::exists(modules / module, error)) return std::nullopt;
  }
  return "the kernel module nvidia_peermem is not loaded (no /sys/module/nvidia_peermem)";
}

Attempt TakePeermem(ibv_pd* pd, const CudaAllocation& /*memory*/, const Buffer& buffer,
                    int access) {
  Mr mr(ibv_reg_mr(pd, buffer.data(), buffer.size(), access));
  if (mr != nullptr) return {.mr = std::move(mr)};
  return {.why_not = WithReason("the RDMA device does not take the GPU's address", errno)};
}

// The first that can be is taken.
constexpr Way kWays[] = {
    {"dma-buf", "as a dma-buf",
     "for dma-buf: NVIDIA's open kernel modules, 515 or newer, and Linux 5.12 or newer",
     DmabufObstacle, TakeDmabuf},
    {"peermem", "by peermem", "for peermem: modprobe nvidia_peermem", PeermemObstacle, TakePeermem},
};

void Append(std::string& list, std::string_view separator, const std::string& entry) {
  if (!list.empty()) list += separator;
  list += entry;
}

std::string Reason(const Way& way, const std::string& why_not) {
  return "no " + std::string(way.name) + ": " + why_not;
}

std::string Remedies() {
  std::string remedies;
  for (const Way& way : kWays) Append(remedies, "; ", std::string(way.remedy));
  return remedies;
}

GpuChoice Choose(const CudaSystem& system, const CudaDriver& driver, ibv_context* context,
                 std::string_view wanted) {
  const std::string name = ibv_get_device_name(context->device);
  return ChooseGpu(system.sysfs, driver.Gpus(), wanted,
                   {.name = name, .pcie_address = ReadSysfs(system.sysfs, name).pcie_address});
}

}  // namespace

constinit const MemoryKind kCudaMemory = {
    .name = "cuda",
    .summary = "memory of an NVIDIA GPU, the nearest or cuda=GPU, by dma-buf or nvidia_peermem",
    .why_not = [](ibv_context* context) { return WhyNoCuda({}, context); },
    .allocate = [](ibv_pd* pd,
                   const BufferRequest& request) { return AllocateCuda({}, pd, request); },
    .register_with = RegisterCuda,
    .fill = FillCuda,
    .cpu_access = false,
    .inline_ok = false,
    .granule = kGpuPageBytes,
    .argument = Argument::kOptional,
    .check_form = CheckGpuName,
};

std::optional<std::string> WhyNoCuda(const CudaSystem& system, ibv_context* context) try {
  const CudaDriver driver(system.library);
  const GpuChoice choice = Choose(system, driver, context, {});
  std::string reasons;
  for (const Way& way : kWays) {
    const std::optional<std::string> why_not =
        way.why_not({context, driver, choice.gpu, system.sysfs});
    if (!why_not) return std::nullopt;
    Append(reasons, "; ", Reason(way, *why_not));
  }
  return Describe(choice.gpu) + " cannot be reached: " + reasons;
} catch (const Error& error) {
  return error.what();
}

Buffer AllocateCuda(const CudaSystem& system, ibv_pd* pd, const BufferRequest& request) {
  const auto driver = std::make_shared<const CudaDriver>(system.library);
  const GpuChoice choice = Choose(system, *driver, pd->context, request.argument);
  const std::shared_ptr<CudaBuffer> own(new CudaBuffer{
      .memory = {driver, choice.gpu, request.bytes},
      .why_this_gpu = choice.why,
      .sysfs = system.sysfs,
  });
  // NOLINTNEXTLINE(performance-no-int-to-ptr): CUDA has addresses as integers.
  auto* data = reinterpret_cast<std::byte*>(own->memory.address());
  // Held by what releases it, for as long as the buffer is there.
  return {data, request.bytes, [own] {}, {.page_bytes = kGpuPageBytes, .handle = own.get()}};
}

Registration RegisterCuda(ibv_pd* pd, const Buffer& buffer, int access) {
  const auto& own = *static_cast<const CudaBuffer*>(buffer.handle());
  const CudaAllocation& memory = own.memory;
  const Candidate candidate{pd->context, memory.driver(), memory.gpu(), own.sysfs};
  std::string reasons;
  for (const Way& way : kWays) {
    Attempt attempt;
    if (auto why_not = way.why_not(candidate)) {
      attempt.why_not = *why_not;
    } else {
      attempt = way.take(pd, memory, buffer, access);
    }
    if (attempt.mr != nullptr) {
      Append(reasons, "; ", Describe(memory.gpu()) + ", " + own.why_this_gpu);
      return {.mr = std::move(attempt.mr),
              .how = std::string(way.how) + "; " + reasons,
              .iova = memory.address()};
    }
    Append(reasons, "; ", Reason(way, attempt.why_not));
  }
  throw Error(Blame::kEnvironment,
              "cannot register " + std::to_string(buffer.size()) + " bytes of " +
                  Describe(memory.gpu()) + " with " + ibv_get_device_name(pd->context->device) +
                  ": " + reasons,
              Remedies());
}

void FillCuda(const Buffer& buffer, std::byte value) {
  static_cast<const CudaBuffer*>(buffer.handle())->memory.Fill(value);
}

}  // namespace rdmabench
