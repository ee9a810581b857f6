// On which NUMA node memory really is: the kernel is asked, page by page.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace rdmabench {

// Pages of a region that are asked about, at most; of a larger one as many, evenly spread.
inline constexpr std::size_t kMostPagesAsked = 4096;

struct PageCount {
  std::size_t asked = 0;
  std::size_t on_node = 0;

  PageCount& operator+=(const PageCount& other) {
    asked += other.asked;
    on_node += other.on_node;
    return *this;
  }
  bool operator==(const PageCount&) const = default;
};

// How many of the region's pages are on `node`. Only those are counted of which the kernel says
// where they are: not those that nobody has touched, nor those that it maps without owning them
// (dma-bufs, /dev/dax). Absent where it says so of none (a container without the system call).
std::optional<PageCount> CountPagesOnNode(std::span<const std::byte> region, unsigned node);

}  // namespace rdmabench
