#include "bench/path_remark.h"

#include <cstddef>
#include <optional>

#include "transport/gid.h"
#include "transport/interface_address.h"

namespace rdmabench {
namespace {

std::string NamedGid(const Gid& gid) {
  return "GID " + std::to_string(gid.index) + " " + gid.Text();
}

// Empty where they are in one subnet, or go by LIDs.
std::string Difference(const Path& path) {
  if (!path.client_gid || !path.server_gid) return {};
  const Gid& client = *path.client_gid;
  const Gid& server = *path.server_gid;
  // Of the two at most one is this machine's, or both are.
  std::optional<unsigned> bits = PrefixBitsOf(client.raw);
  if (!bits) bits = PrefixBitsOf(server.raw);
  if (SameSubnet(client.raw, server.raw, bits)) return {};
  return "the client's " + NamedGid(client) + " and the server's " + NamedGid(server) +
         " are in different subnets (/" +
         std::to_string(bits.value_or(UsualPrefixBits(client.raw))) + ")";
}

std::string DeviceOf(const report::Host& host, std::size_t rail) {
  if (rail < host.rails.size()) return host.rails[rail].device.name;
  return host.device ? host.device->name : std::string("a device");
}

}  // namespace

std::string PathRemark(const Agreement& agreement) {
  for (const Path& path : agreement.paths) {
    const std::string difference = Difference(path);
    if (difference.empty()) continue;
    return difference + (path.client_gid->type == GidType::kRoceV1
                             ? ", and no router passes RoCE v1 on"
                             : ": is there a router between them?");
  }
  return {};
}

std::vector<std::string> PathWarnings(const Agreement& agreement,
                                      const std::vector<report::Host>& hosts) {
  std::vector<std::string> warnings;
  for (std::size_t i = 0; i < agreement.paths.size() && hosts.size() == 2; ++i) {
    const std::string difference = Difference(agreement.paths[i]);
    if (difference.empty()) continue;
    warnings.push_back("from " + DeviceOf(hosts[0], i) + " to " + DeviceOf(hosts[1], i) + ": " +
                       difference +
                       ", so that nothing arrives unless a router is between them; "
                       "--remote-device and --gid-index choose others");
  }
  return warnings;
}

}  // namespace rdmabench
