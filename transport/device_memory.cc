#include "transport/device_memory.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <string>

#include "transport/error.h"
#include "transport/host_memory.h"

namespace rdmabench {
namespace {

// Devices copy whole words; a cache line is what slots are made of.
constexpr std::size_t kUnitBytes = 64;
constexpr std::uint32_t kUnitLog2 = 6;

std::uint64_t MostBytes(ibv_context* context) {
  ibv_device_attr_ex attr{};
  Check(ibv_query_device_ex(context, nullptr, &attr), "cannot ask what the device can do");
  return attr.max_dm_size;
}

std::optional<std::string> WhyNot(ibv_context* context) {
  if (MostBytes(context) > 0) return std::nullopt;
  return "the device has no memory of its own to give (max_dm_size is 0)";
}

Buffer Allocate(ibv_pd* pd, const BufferRequest& request) {
  assert(request.bytes > 0);
  ibv_context* const context = pd->context;
  const std::uint64_t most = MostBytes(context);
  ibv_alloc_dm_attr attr{
      .length = WholePages(request.bytes, kUnitBytes), .log_align_req = kUnitLog2, .comp_mask = 0};
  ibv_dm* const dm = ibv_alloc_dm(context, &attr);
  if (dm == nullptr) {
    const int code = errno;
    const std::string what =
        "cannot allocate " + std::to_string(request.bytes) + " bytes of device memory";
    if (const std::optional<std::string> why_not = WhyNot(context)) {
      throw Error(Blame::kEnvironment, what + ": " + *why_not,
                  "use another kind, such as --memory host; a ConnectX-5 or later has this one");
    }
    ThrowErrno(code, what + ", of which the device has " + std::to_string(most),
               "use fewer or smaller messages: --size, --tx-depth, --rx-depth, --qp");
  }
  return {nullptr,
          request.bytes,
          [dm] { ibv_free_dm(dm); },
          {.page_bytes = 0, .dmabuf_fd = -1, .handle = dm}};
}

// Requests name it from 0.
Registration Register(ibv_pd* pd, const Buffer& buffer, int access) {
  const unsigned flags = static_cast<unsigned>(access) | unsigned{IBV_ACCESS_ZERO_BASED};
  auto* const dm = static_cast<ibv_dm*>(buffer.handle());
  return {
      .mr = Mr(Check(ibv_reg_dm_mr(pd, dm, 0, buffer.size(), flags),
                     "cannot register " + std::to_string(buffer.size()) + " bytes of device memory",
                     "use --memory host")),
      .how = "device memory, from 0",
      .iova = 0};
}

void Fill(const Buffer& buffer, std::byte value) {
  std::array<std::byte, 4096> bytes{};
  bytes.fill(value);
  auto* const dm = static_cast<ibv_dm*>(buffer.handle());
  const std::size_t all = WholePages(buffer.size(), kUnitBytes);
  for (std::size_t offset = 0; offset < all; offset += bytes.size()) {
    Check(ibv_memcpy_to_dm(dm, offset, bytes.data(), std::min(bytes.size(), all - offset)),
          "cannot write to device memory", "use --memory host");
  }
}

}  // namespace

constinit const MemoryKind kDeviceMemory = {
    .name = "dm",
    .summary = "memory of the RDMA device itself",
    .why_not = WhyNot,
    .allocate = Allocate,
    .register_with = Register,
    .fill = Fill,
    .cpu_access = false,
    .inline_ok = false,
    .over_pcie = false,
};

}  // namespace rdmabench
