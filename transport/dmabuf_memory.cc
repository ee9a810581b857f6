#include "transport/dmabuf_memory.h"

#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <memory>
#include <string>
#include <utility>

#include "transport/call_error.h"
#include "transport/descriptor.h"
#include "transport/error.h"
#include "transport/host_memory.h"

namespace rdmabench {
namespace {

constexpr const char* kUdmabufPath = "/dev/udmabuf";
constexpr std::string_view kHeaps = "/dev/dma_heap/";
constexpr std::string_view kSystemHeap = "system";
constexpr std::string_view kUdmabufRemedy =
    "modprobe udmabuf, and write permission on /dev/udmabuf";
constexpr std::string_view kHeapRemedy =
    "a kernel with CONFIG_DMABUF_HEAPS_SYSTEM, and read permission on /dev/dma_heap/system";

std::string Bytes(std::size_t count) { return std::to_string(count) + " bytes"; }

// Takes the dma-buf and a mapping of the same memory that the CPU uses.
Buffer MappedDmabuf(Descriptor dmabuf, int mapped_fd, const BufferRequest& request) {
  const std::size_t page = SystemPageBytes();
  const std::size_t mapped = WholePages(request.bytes, page);
  void* data = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_SHARED, mapped_fd, 0);
  if (data == MAP_FAILED) {
    ThrowErrno(errno, "cannot map " + Bytes(mapped) + " of a dma-buf", "use --memory host");
  }
  const int fd = dmabuf.Release();
  return {static_cast<std::byte*>(data),
          request.bytes,
          [data, mapped, fd] {
            munmap(data, mapped);
            close(fd);
          },
          {.page_bytes = page, .dmabuf_fd = fd}};
}

std::optional<std::string> WhyNoPath(const std::string& path, std::string_view remedy,
                                     ibv_context* context) {
  const Descriptor device(KernelCalls().open(path.c_str()));
  if (device.get() >= 0) return WhyNoDmabuf(context);
  return WithReason("cannot open " + path, LastErrno()) + "; it needs " + std::string(remedy);
}

std::optional<std::string> WhyNoUdmabuf(ibv_context* context) {
  return WhyNoPath(kUdmabufPath, kUdmabufRemedy, context);
}

std::optional<std::string> WhyNoHeap(ibv_context* context) {
  return WhyNoPath(std::string(kHeaps) + std::string(kSystemHeap), kHeapRemedy, context);
}

Buffer AllocateUdmabufHere(ibv_pd* /*pd*/, const BufferRequest& request) {
  return AllocateUdmabuf(KernelCalls(), request);
}

Buffer AllocateHeapHere(ibv_pd* /*pd*/, const BufferRequest& request) {
  return AllocateDmaHeap(KernelCalls(), request);
}

}  // namespace

constinit const MemoryKind kUdmabufMemory = {
    .name = "udmabuf",
    .summary = "ordinary pages that reach the device as a dma-buf",
    .why_not = WhyNoUdmabuf,
    .allocate = AllocateUdmabufHere,
    .register_with = RegisterDmabuf,
    .fill = FillByCpu,
    .cpu_access = true,
    .inline_ok = true,
};

constinit const MemoryKind kDmaHeapMemory = {
    .name = "dma_heap",
    .summary = "a dma-buf of a heap in /dev/dma_heap, of system unless dma_heap=NAME",
    .why_not = WhyNoHeap,
    .allocate = AllocateHeapHere,
    .register_with = RegisterDmabuf,
    .fill = FillByCpu,
    .cpu_access = true,
    .inline_ok = true,
    .argument = Argument::kOptional,
};

DmabufCalls KernelCalls() {
  return {.open = [](const char* path) { return open(path, O_RDWR | O_CLOEXEC); },
          .control = [](int fd, unsigned long request,
                        void* argument) { return ioctl(fd, request, argument); }};
}

Buffer AllocateUdmabuf(const DmabufCalls& calls, const BufferRequest& request) {
  assert(request.bytes > 0);
  const std::size_t whole = WholePages(request.bytes, SystemPageBytes());
  const Descriptor device(
      CheckErrno(calls.open(kUdmabufPath), "cannot open /dev/udmabuf", kUdmabufRemedy));
  const Descriptor memory(CheckErrno(memfd_create("rdmabench", MFD_CLOEXEC | MFD_ALLOW_SEALING),
                                     "cannot make a file in memory"));
  CheckErrno(ftruncate(memory.get(), static_cast<off_t>(whole)),
             "cannot have " + Bytes(whole) + " in a file in memory");
  // The kernel wraps only what cannot shrink any more.
  CheckErrno(fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SHRINK), "cannot seal a file in memory");
  if (request.numa_node) {
    // Pages get their place when they are wrapped, so the policy is set first, and stays with the
    // file.
    void* data = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, memory.get(), 0);
    if (data == MAP_FAILED) ThrowErrno(errno, "cannot map " + Bytes(whole), "use --memory host");
    const auto unmap = [whole](void* mapped) { munmap(mapped, whole); };
    const std::unique_ptr<void, decltype(unmap)> mapping(data, unmap);
    BindToNode(data, whole, *request.numa_node);
  }
  udmabuf_create create{.memfd = static_cast<__u32>(memory.get()),
                        .flags = UDMABUF_FLAGS_CLOEXEC,
                        .offset = 0,
                        .size = whole};
  Descriptor dmabuf(CheckErrno(
      calls.control(device.get(), UDMABUF_CREATE, &create),
      "cannot make a dma-buf of " + Bytes(whole),
      "is that more than /sys/module/udmabuf/parameters/size_limit_mb allows? Raise it, or use "
      "fewer or smaller messages"));
  return MappedDmabuf(std::move(dmabuf), memory.get(), request);
}

Buffer AllocateDmaHeap(const DmabufCalls& calls, const BufferRequest& request) {
  assert(request.bytes > 0);
  const std::string name = request.argument.empty() ? std::string(kSystemHeap) : request.argument;
  if (name.find('/') != std::string::npos) {
    throw Error(Blame::kUsage, "--memory dma_heap=" + name + " names no heap",
                "give the name of one in /dev/dma_heap, such as system");
  }
  const std::string path = std::string(kHeaps) + name;
  const Descriptor heap(CheckErrno(calls.open(path.c_str()), "cannot open " + path, kHeapRemedy));
  dma_heap_allocation_data allocation{.len = WholePages(request.bytes, SystemPageBytes()),
                                      .fd = 0,
                                      .fd_flags = O_RDWR | O_CLOEXEC,
                                      .heap_flags = 0};
  CheckErrno(calls.control(heap.get(), DMA_HEAP_IOCTL_ALLOC, &allocation),
             "cannot allocate " + Bytes(allocation.len) + " of " + path,
             "use fewer or smaller messages");
  Descriptor dmabuf(static_cast<int>(allocation.fd));
  const int fd = dmabuf.get();
  return MappedDmabuf(std::move(dmabuf), fd, request);
}

Registration RegisterDmabuf(ibv_pd* pd, const Buffer& buffer, int access) {
  const auto iova = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(buffer.data()));
  Mr mr(ibv_reg_dmabuf_mr(pd, 0, buffer.size(), iova, buffer.dmabuf_fd(), access));
  if (mr != nullptr) return {.mr = std::move(mr), .how = "as a dma-buf", .iova = iova};
  const int code = errno;
  ThrowCall("ibv_reg_mr", code,
            {.attempted = "cannot register a dma-buf of " + Bytes(buffer.size()),
             .locks = true,
             .locks_bytes = buffer.size(),
             .remedy = WhyNoDmabuf(pd->context).value_or("use --memory host")});
}

// A driver that can refuses a file that is no dma-buf for that; another says that it cannot. The
// descriptor -1 would not do: the library leaves it out, and the kernel misses it before it asks
// the driver.
std::optional<std::string> WhyNoDmabuf(ibv_context* context) {
  const Pd pd(ibv_alloc_pd(context));
  if (pd == nullptr) return WithReason("cannot allocate a protection domain", errno);
  const Descriptor other(open("/dev/null", O_RDWR | O_CLOEXEC));
  const Mr mr(
      ibv_reg_dmabuf_mr(pd.get(), 0, SystemPageBytes(), 0, other.get(), IBV_ACCESS_LOCAL_WRITE));
  const int code = mr != nullptr ? 0 : errno;
  if (code != EOPNOTSUPP && code != EPROTONOSUPPORT) return std::nullopt;
  return "the device's driver registers no dma-buf (mlx5, irdma, bnxt_re, efa and mana do)";
}

}  // namespace rdmabench
