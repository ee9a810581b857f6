#include "transport/page_nodes.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rdmabench {

std::optional<PageCount> CountPagesOnNode(std::span<const std::byte> region, unsigned node) {
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto first = reinterpret_cast<std::uintptr_t>(region.data()) / page_bytes;
  const std::uintptr_t end =
      (reinterpret_cast<std::uintptr_t>(region.data()) + region.size() + page_bytes - 1) /
      page_bytes;
  const std::size_t pages = end - first;
  PageCount count{.asked = std::min(pages, kMostPagesAsked)};
  if (region.empty()) return count;
  std::vector<void*> addresses;
  for (std::size_t i = 0; i < count.asked; ++i) {
    const std::uintptr_t page = first + i * pages / count.asked;
    addresses.push_back(
        reinterpret_cast<void*>(page * page_bytes));  // NOLINT(performance-no-int-to-ptr)
  }
  // Without a list of nodes the call moves nothing, and tells of each page where it is.
  std::vector<int> places(count.asked, -1);
  if (syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nullptr, places.data(), 0) !=
      0) {
    return std::nullopt;
  }
  count.on_node =
      static_cast<std::size_t>(std::count(places.begin(), places.end(), static_cast<int>(node)));
  return count;
}

}  // namespace rdmabench
