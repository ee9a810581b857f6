#include "transport/huge_memory.h"

#include <linux/mman.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>
#include <fstream>
#include <string_view>

#include "transport/error.h"
#include "transport/host_memory.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t k2MiB = std::size_t{1} << 21;
constexpr std::size_t k1GiB = std::size_t{1} << 30;
// What a worker takes by default, at most.
constexpr std::size_t kDefaultBytes = std::size_t{1} << 26;

std::optional<std::uint64_t> ReadNumber(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  if (!(file >> number)) return std::nullopt;
  return number;
}

std::string SizeText(std::size_t page_bytes) { return page_bytes == k1GiB ? "1 GiB" : "2 MiB"; }

std::string NodeText(const std::optional<unsigned>& node) {
  return node ? " on NUMA node " + std::to_string(*node) : std::string();
}

[[noreturn]] void ThrowTooFew(const HugePages& pages, std::uint64_t needed, std::uint64_t of_all,
                              int code) {
  const std::optional<std::uint64_t> free = pages.Free();
  if (!free) {
    throw Error(Blame::kEnvironment,
                "there are no huge pages of " + SizeText(pages.page_bytes) + NodeText(pages.node),
                pages.Remedy(std::max(of_all, needed)));
  }
  throw Error(Blame::kEnvironment,
              WithReason("cannot have " + std::to_string(needed) + " huge pages of " +
                             SizeText(pages.page_bytes) + NodeText(pages.node) + ", where " +
                             std::to_string(*free) + " are free",
                         code),
              pages.Remedy(std::max(of_all, needed)));
}

Buffer AllocateHuge(const BufferRequest& request, std::size_t page_bytes) {
  assert(request.bytes > 0);
  const HugePages pages{.page_bytes = page_bytes, .node = request.numa_node};
  const std::size_t mapped = WholePages(request.bytes, page_bytes);
  const std::uint64_t needed = mapped / page_bytes;
  const std::uint64_t of_all = needed * (std::uint64_t{request.others} + 1);
  const int log2 = std::countr_zero(page_bytes);
  void* data = mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | (log2 << MAP_HUGE_SHIFT), -1, 0);
  if (data == MAP_FAILED) ThrowTooFew(pages, needed, of_all, errno);
  Buffer buffer(static_cast<std::byte*>(data), request.bytes,
                [data, mapped] { munmap(data, mapped); }, {.page_bytes = page_bytes});
  if (request.numa_node) BindToNode(data, mapped, *request.numa_node);
  // The mapping reserves pages of any node. Whether this one has them is known only when they are
  // touched, which ends the process where it has not and the kernel cannot populate.
  if (request.numa_node && !pages.HasFor(needed)) ThrowTooFew(pages, needed, of_all, ENOMEM);
  // The kernel's word for that is EFAULT.
  if (Populate(data, mapped) != 0) ThrowTooFew(pages, needed, of_all, ENOMEM);
  return buffer;
}

template <std::size_t kPageBytes>
Buffer Allocate(ibv_pd* /*pd*/, const BufferRequest& request) {
  return AllocateHuge(request, kPageBytes);
}

template <std::size_t kPageBytes>
std::optional<std::string> WhyNot(ibv_context* /*context*/) {
  return WhyNoHugePage({.page_bytes = kPageBytes});
}

template <std::size_t kPageBytes>
std::optional<std::string> WhyNotOnNode(std::optional<unsigned> node) {
  return WhyNoHugePage({.page_bytes = kPageBytes, .node = node});
}

template <std::size_t kPageBytes>
std::string AmountOnNode(std::optional<unsigned> node) {
  return HugePagesText({.page_bytes = kPageBytes, .node = node});
}

template <std::size_t kPageBytes>
constexpr MemoryKind KindOf(std::string_view name, std::string_view summary) {
  return {.name = name,
          .summary = summary,
          .why_not = WhyNot<kPageBytes>,
          .allocate = Allocate<kPageBytes>,
          .register_with = RegisterByAddress,
          .fill = FillByCpu,
          .cpu_access = true,
          .inline_ok = true,
          .granule = kPageBytes,
          .why_not_on_node = WhyNotOnNode<kPageBytes>,
          .amount_on_node = AmountOnNode<kPageBytes>};
}

}  // namespace

constinit const MemoryKind kHuge2mMemory = KindOf<k2MiB>("huge2m", "huge pages of 2 MiB");
constinit const MemoryKind kHuge1gMemory = KindOf<k1GiB>("huge1g", "huge pages of 1 GiB");

fs::path HugePages::Directory() const {
  const std::string name = "hugepages-" + std::to_string(page_bytes / 1024) + "kB";
  if (!node) return sysfs / "kernel/mm/hugepages" / name;
  return sysfs / "devices/system/node" / ("node" + std::to_string(*node)) / "hugepages" / name;
}

std::optional<std::uint64_t> HugePages::Free() const {
  const std::optional<std::uint64_t> free = ReadNumber(Directory() / "free_hugepages");
  if (!free) return std::nullopt;
  // Promised to mappings that have not touched them; a node's directory does not tell.
  const std::uint64_t promised = ReadNumber(Directory() / "resv_hugepages").value_or(0);
  return *free - std::min(promised, *free);
}

bool HugePages::HasFor(std::uint64_t pages) const {
  HugePages machine = *this;
  machine.node.reset();
  const fs::path on_demand = machine.Directory() / "nr_overcommit_hugepages";
  return Free().value_or(0) >= pages || ReadNumber(on_demand).value_or(0) > 0;
}

std::string HugePages::Remedy(std::uint64_t pages) const {
  const fs::path file = Directory() / "nr_hugepages";
  const std::optional<std::uint64_t> now = ReadNumber(file);
  if (!now) {
    return page_bytes == k1GiB
               ? "the kernel offers none of 1 GiB: use huge2m, or a processor with pdpe1gb"
               : "the kernel offers none of " + SizeText(page_bytes) + NodeText(node) +
                     ": is the node there, and CONFIG_HUGETLBFS set?";
  }
  const std::uint64_t free = Free().value_or(0);
  const std::string count = std::to_string(*now - std::min(free, *now) + std::max(pages, free));
  const std::string write = "echo " + count + " > " + file.string();
  if (page_bytes == k1GiB) {
    return "as root: " + write +
           "; where memory is in pieces already: hugepagesz=1G hugepages=" + count +
           " on the kernel's command line";
  }
  return node ? "as root: " + write : "as root: sysctl vm.nr_hugepages=" + count + ", or " + write;
}

std::optional<std::string> WhyNoHugePage(const HugePages& pages) {
  if (pages.HasFor(1)) return std::nullopt;
  if (!pages.Free()) return pages.Remedy(1);
  return "none is free" + NodeText(pages.node) + "; " +
         pages.Remedy(WholePages(kDefaultBytes, pages.page_bytes) / pages.page_bytes) +
         "; --working-set may need more";
}

std::string HugePagesText(const HugePages& pages) {
  const std::uint64_t free = pages.Free().value_or(0);
  if (free == 0) return "made when they are needed (nr_overcommit_hugepages)";
  return std::to_string(free) + " free" + NodeText(pages.node);
}

}  // namespace rdmabench
