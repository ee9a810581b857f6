#include "transport/page_nodes.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace rdmabench {

std::optional<PageCount> CountPagesOnNode(std::span<const std::byte> region, unsigned node) {
  PageCount count;
  if (region.empty()) return count;
  const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  // The region may begin and end within a page.
  const std::size_t before = reinterpret_cast<std::uintptr_t>(region.data()) % page_bytes;
  const std::size_t pages = (before + region.size() + page_bytes - 1) / page_bytes;
  count.asked = std::min(pages, kMostPagesAsked);
  std::vector<const void*> addresses;
  for (std::size_t i = 0; i < count.asked; ++i) {
    const std::size_t page = i * pages / count.asked;
    addresses.push_back(page == 0 ? region.data() : region.data() + page * page_bytes - before);
  }
  // Without a list of nodes the call moves nothing, and tells of each page where it is.
  std::vector<int> places(count.asked, -1);
  const long code =
      syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nullptr, places.data(), 0);
  if (code != 0) return std::nullopt;
  std::erase_if(places, [](int place) { return place < 0; });
  if (places.empty()) return std::nullopt;
  count.asked = places.size();
  count.on_node =
      static_cast<std::size_t>(std::count(places.begin(), places.end(), static_cast<int>(node)));
  return count;
}

}  // namespace rdmabench
