#include "transport/memory.h"

#include "transport/error.h"
#include "transport/host_memory.h"
#include "transport/nearest.h"

namespace rdmabench {
namespace {

constexpr const MemoryKind* kMemoryKinds[] = {
    &kHostMemory,
};

}  // namespace

std::span<const MemoryKind* const> MemoryKinds() { return kMemoryKinds; }

const MemoryKind& FindMemoryKind(std::string_view name) {
  std::vector<std::string_view> known;
  std::string list;
  for (const MemoryKind* kind : kMemoryKinds) {
    if (kind->name == name) return *kind;
    known.push_back(kind->name);
    list += (list.empty() ? "" : ", ") + std::string(kind->name);
  }
  throw Error(Blame::kUsage, "unknown kind of memory \"" + std::string(name) +
                                 "\"; known: " + list + DidYouMean(name, known));
}

std::vector<KindAvailability> ProbeMemoryKinds(ibv_context* context) {
  std::vector<KindAvailability> kinds;
  for (const MemoryKind* kind : kMemoryKinds) {
    kinds.push_back({kind->name, kind->summary, kind->why_not(context)});
  }
  return kinds;
}

MemoryRegion::MemoryRegion(ibv_pd* pd, const MemoryKind& kind, const BufferRequest& request,
                           int access)
    : buffer_(kind.allocate(pd, request)),
      registration_(kind.register_with(pd, buffer_, access | IBV_ACCESS_LOCAL_WRITE)) {}

std::uint64_t MemoryRegion::addr() const {
  return registration_.iova.value_or(reinterpret_cast<std::uintptr_t>(registration_.mr->addr));
}

}  // namespace rdmabench
