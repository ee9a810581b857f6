// Huge pages: fewer entries in the translation tables of processor and device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "transport/memory_kind.h"

namespace rdmabench {

extern const MemoryKind kHuge2mMemory;
extern const MemoryKind kHuge1gMemory;

// Huge pages of one size, as sysfs has them: of the whole machine, or of one node.
struct HugePages {
  std::filesystem::path sysfs = "/sys";
  std::size_t page_bytes = 0;
  std::optional<unsigned> node = {};

  // "/sys/kernel/mm/hugepages/hugepages-2048kB", or the node's.
  std::filesystem::path Directory() const;
  // Pages that nobody has or is to have; absent: the kernel has no pages of this size.
  std::optional<std::uint64_t> Free() const;
  // Whether so many are free, or may be made when they are needed.
  bool HasFor(std::uint64_t pages) const;
  // How `pages` more than are free come to be.
  std::string Remedy(std::uint64_t pages) const;
};

// Why there is none, and how as many come to be as a worker takes by default; absent: at least one
// page is free, or may be made when it is needed.
std::optional<std::string> WhyNoHugePage(const HugePages& pages);
// "12 free on NUMA node 1"
std::string HugePagesText(const HugePages& pages);

}  // namespace rdmabench
