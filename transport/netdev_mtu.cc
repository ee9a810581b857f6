#include "transport/netdev_mtu.h"

#include <limits>

namespace rdmabench {

std::string MtuFile(std::string_view netdev) { return JoinPath({"/sys/class/net", netdev, "mtu"}); }

std::optional<std::uint32_t> MtuOf(const FileTree& files, std::string_view netdev) {
  if (netdev.empty()) return std::nullopt;
  const std::optional<double> bytes = files.Number(MtuFile(netdev));
  if (!bytes || *bytes < 1 || *bytes > std::numeric_limits<std::uint32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<std::uint32_t>(*bytes);
}

}  // namespace rdmabench
