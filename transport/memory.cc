#include "transport/memory.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "transport/error.h"
#include "transport/memlock.h"
#include "transport/nearest.h"

namespace rdmabench {
namespace {

std::size_t PageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Has to come before the first touch, which is when a page gets its place. The system call itself:
// it needs no topology, whose discovery takes longer than a short run.
void BindToNode(void* data, std::size_t bytes, unsigned node) {
  constexpr std::size_t kWordBits = sizeof(unsigned long) * CHAR_BIT;
  std::vector<unsigned long> nodes(node / kWordBits + 1, 0UL);
  nodes[node / kWordBits] |= 1UL << (node % kWordBits);
  // The kernel reads one bit less than it is told.
  const unsigned long bits = nodes.size() * kWordBits + 1;
  if (syscall(SYS_mbind, data, bytes, MPOL_BIND, nodes.data(), bits, 0U) == 0) return;
  const int code = errno;
  ThrowErrno(code, "cannot bind memory to NUMA node " + std::to_string(node),
             code == EPERM ? "allow the system call mbind; in Docker: --cap-add=SYS_NICE"
                           : "is that node online, and allowed by this process's cpuset?");
}

Buffer AllocateHost(const BufferRequest& request) {
  assert(request.bytes > 0);
  const std::size_t page = PageBytes();
  const std::size_t mapped = (request.bytes + page - 1) / page * page;
  void* data = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    ThrowErrno(errno, "cannot allocate " + std::to_string(request.bytes) + " bytes",
               "use fewer or smaller messages, or fewer queue pairs");
  }
  Buffer buffer(static_cast<std::byte*>(data), request.bytes,
                [data, mapped] { munmap(data, mapped); });
  if (request.numa_node) BindToNode(data, mapped, *request.numa_node);
  // A write, since reading a new page maps the shared zero page.
  for (std::size_t offset = 0; offset < mapped; offset += page)
    buffer.data()[offset] = std::byte{0};
  return buffer;
}

Mr RegisterVirtual(ibv_pd* pd, const Buffer& buffer, int access) {
  Mr mr(ibv_reg_mr(pd, buffer.data(), buffer.size(), access));
  if (mr != nullptr) return mr;
  const int code = errno;
  ThrowErrno(code, "cannot register " + std::to_string(buffer.size()) + " bytes of memory",
             MemlockRemedy(ReadMemlockLimit(), buffer.size(), code));
}

void FillByCpu(const Buffer& buffer, std::byte value) {
  std::memset(buffer.data(), std::to_integer<int>(value), buffer.size());
}

constexpr MemoryKind kMemoryKinds[] = {
    {"host", AllocateHost, RegisterVirtual, FillByCpu, true, true},
};

}  // namespace

Buffer::Buffer(std::byte* data, std::size_t bytes, std::function<void()> release)
    : data_(data), bytes_(bytes), release_(std::move(release)) {}

Buffer::Buffer(Buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      release_(std::exchange(other.release_, nullptr)) {}

Buffer::~Buffer() {
  if (release_) release_();
}

std::span<const MemoryKind> MemoryKinds() { return kMemoryKinds; }

const MemoryKind& FindMemoryKind(std::string_view name) {
  std::vector<std::string_view> known;
  std::string list;
  for (const MemoryKind& kind : kMemoryKinds) {
    if (kind.name == name) return kind;
    known.push_back(kind.name);
    list += (list.empty() ? "" : ", ") + std::string(kind.name);
  }
  throw Error(Blame::kUsage, "unknown kind of memory \"" + std::string(name) +
                                 "\"; known: " + list + DidYouMean(name, known));
}

MemoryRegion::MemoryRegion(ibv_pd* pd, const MemoryKind& kind, const BufferRequest& request,
                           int access)
    : buffer_(kind.allocate(request)),
      mr_(kind.register_with(pd, buffer_, access | IBV_ACCESS_LOCAL_WRITE)) {}

std::uint64_t MemoryRegion::addr() const { return reinterpret_cast<std::uintptr_t>(mr_->addr); }

}  // namespace rdmabench
