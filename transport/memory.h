// Message memory: the kinds there are, and a registered region.
#pragma once

#include <infiniband/verbs.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "transport/memory_kind.h"

namespace rdmabench {

std::span<const MemoryKind* const> MemoryKinds();
const MemoryKind& FindMemoryKind(
    std::string_view name);  // throws Error(kUsage) naming the known ones

struct KindAvailability {
  std::string_view name;
  std::string_view summary;
  std::optional<std::string> why_not;  // absent: the kind is available
  std::string amount = {};             // of it, where it is not ordinary memory; may be empty
};
// Of every kind, on this device, and on the NUMA node where a run would have it; absent: on any.
std::vector<KindAvailability> ProbeMemoryKinds(ibv_context* context,
                                               std::optional<unsigned> numa_node = {});

// A buffer, filled with zeros, and its registrations.
class MemoryRegion {
 public:
  // `access`: IBV_ACCESS_*; local write is always added (remote write and atomics require it).
  // Throws Error(kEnvironment) with the remedy.
  MemoryRegion(ibv_pd* pd, const MemoryKind& kind, const BufferRequest& request, int access,
               std::uint32_t registrations = 1);

  std::byte* data() const { return buffer_.data(); }
  std::size_t size() const { return buffer_.size(); }
  std::size_t page_bytes() const { return buffer_.page_bytes(); }  // 0: not known
  const std::string& how() const { return registrations_.front().how; }
  // What requests name, here and at the peer; comes from the registration, not from the pointer.
  std::uint64_t addr() const;
  // Those of queue pair `index`, to which the registrations are dealt.
  std::uint32_t lkey(std::size_t index = 0) const { return Of(index).mr->lkey; }
  std::uint32_t rkey(std::size_t index = 0) const { return Of(index).mr->rkey; }

 private:
  const Registration& Of(std::size_t index) const {
    return registrations_[index % registrations_.size()];
  }

  Buffer buffer_;  // first: outlives its registrations
  std::vector<Registration> registrations_;
};

}  // namespace rdmabench
