#include "transport/fake_memory_verbs.h"

#include <algorithm>
#include <cerrno>

// The header's macro of this name leads elsewhere.
#undef ibv_reg_mr

namespace rdmabench::fake {
namespace {

// C functions have no other place to find it in.
MemoryDevice* the_device = nullptr;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
ibv_mr the_region{};                 // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

int QueryDevice(ibv_context* /*context*/, const ibv_query_device_ex_input* /*input*/,
                ibv_device_attr_ex* attr, std::size_t bytes) {
  if (bytes < sizeof *attr) return EINVAL;
  *attr = ibv_device_attr_ex{};
  attr->max_dm_size = the_device->dm_bytes;
  attr->odp_caps = the_device->odp;
  return 0;
}

int CopyTo(ibv_dm* /*dm*/, std::uint64_t offset, const void* from, std::size_t bytes) {
  if (offset + bytes > the_device->dm.size()) return EINVAL;
  std::copy_n(static_cast<const std::byte*>(from), bytes,
              the_device->dm.begin() + static_cast<std::ptrdiff_t>(offset));
  return 0;
}

ibv_dm* AllocateDm(ibv_context* context, ibv_alloc_dm_attr* attr) {
  if (attr->length > the_device->dm_bytes) {
    errno = ENOMEM;
    return nullptr;
  }
  static ibv_dm dm{};
  dm = {.context = context,
        .memcpy_to_dm = CopyTo,
        .memcpy_from_dm = nullptr,
        .comp_mask = 0,
        .handle = 1};
  the_device->dm.assign(attr->length, std::byte{0xee});
  ++the_device->allocations;
  return &dm;
}

int FreeDm(ibv_dm* /*dm*/) {
  --the_device->allocations;
  return 0;
}

ibv_mr* Register(ibv_pd* pd, void* addr, std::size_t bytes, int access) {
  the_device->access = access;
  the_region = ibv_mr{};
  the_region.context = pd->context;
  the_region.pd = pd;
  the_region.addr = addr;
  the_region.length = bytes;
  return &the_region;
}

ibv_mr* RegisterDm(ibv_pd* pd, ibv_dm* /*dm*/, std::uint64_t offset, std::size_t bytes,
                   unsigned access) {
  the_device->dm_offset = offset;
  return Register(pd, nullptr, bytes, static_cast<int>(access));
}

}  // namespace

MemoryDevice::MemoryDevice() {
  the_device = this;
  verbs_.sz = sizeof verbs_;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the header's own mark.
  verbs_.context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  verbs_.query_device_ex = QueryDevice;
  verbs_.alloc_dm = AllocateDm;
  verbs_.free_dm = FreeDm;
  verbs_.reg_dm_mr = RegisterDm;
  pd_.context = &verbs_.context;
}

}  // namespace rdmabench::fake

extern "C" {

ibv_mr* ibv_reg_mr(ibv_pd* pd, void* addr, std::size_t length, int access) {
  return rdmabench::fake::Register(pd, addr, length, access);
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* pd, void* addr, std::size_t length, std::uint64_t /*iova*/,
                         unsigned access) {
  return rdmabench::fake::Register(pd, addr, length, static_cast<int>(access));
}

int ibv_dereg_mr(ibv_mr* /*mr*/) { return 0; }

}  // extern "C"
