// A device, for unit tests, with what fake_verbs has not: memory of its own and paging on demand.
// Nothing moves through it. It never stands in for a result.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rdmabench::fake {

class MemoryDevice {
 public:
  MemoryDevice();
  MemoryDevice(const MemoryDevice&) = delete;
  MemoryDevice& operator=(const MemoryDevice&) = delete;

  ibv_context* context() { return &verbs_.context; }
  ibv_pd* pd() { return &pd_; }

  // What it can do, and what was asked of it.
  std::uint64_t dm_bytes = 0;
  ibv_odp_caps odp{};
  std::vector<std::byte> dm;  // of the one allocation
  int allocations = 0;        // that are alive
  int access = 0;             // of the last registration
  std::uint64_t dm_offset = 0;

 private:
  verbs_context verbs_{};
  ibv_pd pd_{};
};

}  // namespace rdmabench::fake
