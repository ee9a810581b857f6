#include "transport/memory.h"

#include "transport/cuda_memory.h"
#include "transport/device_memory.h"
#include "transport/dmabuf_memory.h"
#include "transport/error.h"
#include "transport/host_memory.h"
#include "transport/huge_memory.h"
#include "transport/joined.h"
#include "transport/mmap_memory.h"
#include "transport/nearest.h"
#include "transport/odp_memory.h"

namespace rdmabench {
namespace {

constexpr const MemoryKind* kMemoryKinds[] = {
    &kHostMemory,   &kHuge2mMemory,  &kHuge1gMemory,  &kMmapMemory, &kOdpMemory,
    &kDeviceMemory, &kUdmabufMemory, &kDmaHeapMemory, &kCudaMemory,
};

// Writes all of it: a page gets its place when it is written first, and it must have one before it
// is registered.
Buffer Filled(const MemoryKind& kind, Buffer buffer) {
  kind.fill(buffer, std::byte{0});
  return buffer;
}

// A device that cannot be asked has none, either.
std::optional<std::string> WhyNot(const MemoryKind& kind, ibv_context* context,
                                  std::optional<unsigned> numa_node) try {
  if (kind.why_not_on_node != nullptr) return kind.why_not_on_node(numa_node);
  return kind.why_not(context);
} catch (const Error& error) {
  return error.what();
}

}  // namespace

std::span<const MemoryKind* const> MemoryKinds() { return kMemoryKinds; }

const MemoryKind& FindMemoryKind(std::string_view name) {
  std::vector<std::string_view> known;
  for (const MemoryKind* kind : kMemoryKinds) {
    if (kind->name == name) return *kind;
    known.push_back(kind->name);
  }
  throw Error(Blame::kUsage,
              "unknown kind of memory \"" + std::string(name) + "\"; known: " + Joined(known) +
                  DidYouMean(name, known),
              "give one of these, such as --memory host; 'rdmabench devices' says which there are");
}

std::vector<KindAvailability> ProbeMemoryKinds(ibv_context* context,
                                               std::optional<unsigned> numa_node) {
  std::vector<KindAvailability> kinds;
  for (const MemoryKind* kind : kMemoryKinds) {
    KindAvailability found{kind->name, kind->summary, WhyNot(*kind, context, numa_node)};
    if (!found.why_not && kind->amount_on_node != nullptr) {
      found.amount = kind->amount_on_node(numa_node);
    }
    kinds.push_back(std::move(found));
  }
  return kinds;
}

MemoryRegion::MemoryRegion(ibv_pd* pd, const MemoryKind& kind, const BufferRequest& request,
                           int access, std::uint32_t registrations)
    : buffer_(Filled(kind, kind.allocate(pd, request))) {
  for (std::uint32_t i = 0; i < registrations; ++i) {
    registrations_.push_back(kind.register_with(pd, buffer_, access | IBV_ACCESS_LOCAL_WRITE));
  }
}

std::uint64_t MemoryRegion::addr() const {
  const Registration& first = registrations_.front();
  return first.iova.value_or(reinterpret_cast<std::uintptr_t>(first.mr->addr));
}

}  // namespace rdmabench
