#include "transport/host_memory.h"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <climits>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "transport/call_error.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

Buffer AllocateHost(ibv_pd* /*pd*/, const BufferRequest& request) {
  assert(request.bytes > 0);
  const std::size_t page = SystemPageBytes();
  const std::size_t mapped = WholePages(request.bytes, page);
  void* data = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    ThrowErrno(errno, "cannot allocate " + std::to_string(request.bytes) + " bytes",
               "use fewer or smaller messages, or fewer queue pairs");
  }
  Buffer buffer(static_cast<std::byte*>(data), request.bytes,
                [data, mapped] { munmap(data, mapped); }, {.page_bytes = page});
  if (request.numa_node) BindToNode(data, mapped, *request.numa_node);
  return buffer;
}

}  // namespace

constinit const MemoryKind kHostMemory = {
    .name = "host",
    .summary = "ordinary pages of this machine",
    .why_not = AlwaysThere,
    .allocate = AllocateHost,
    .register_with = RegisterByAddress,
    .fill = FillByCpu,
    .cpu_access = true,
    .inline_ok = true,
};

std::size_t WholePages(std::size_t bytes, std::size_t page_bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

std::size_t SystemPageBytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// The system call itself: it needs no topology, whose discovery takes longer than a short run.
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
                           : "is that node online, and allowed by the process's cpuset?");
}

int Populate(void* data, std::size_t bytes) {
  if (madvise(data, bytes, MADV_POPULATE_WRITE) == 0 || errno == EINVAL) return 0;
  return errno;
}

std::optional<std::string> AlwaysThere(ibv_context* /*context*/) { return std::nullopt; }

Registration RegisterByAddress(ibv_pd* pd, const Buffer& buffer, int access) {
  return RegisterByAddress(pd, buffer, access, "memory", {});
}

Registration RegisterByAddress(ibv_pd* pd, const Buffer& buffer, int access,
                               const std::string& what, const std::string& other_remedy) {
  Mr mr(ibv_reg_mr(pd, buffer.data(), buffer.size(), access));
  if (mr != nullptr) return {.mr = std::move(mr), .how = "by its virtual address"};
  ThrowCall("ibv_reg_mr", errno,
            {.attempted = "cannot register " + std::to_string(buffer.size()) + " bytes of " + what,
             .locks = true,
             .locks_bytes = buffer.size(),
             .remedy = other_remedy});
}

void FillByCpu(const Buffer& buffer, std::byte value) {
  std::memset(buffer.data(), std::to_integer<int>(value), buffer.size());
}

}  // namespace rdmabench
