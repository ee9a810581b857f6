#include "transport/interface_address.h"

#include <ifaddrs.h>
#include <netinet/in.h>

#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>

#include "transport/gid.h"

namespace rdmabench {
namespace {

using Interfaces = std::unique_ptr<ifaddrs, decltype(&freeifaddrs)>;

Interfaces AllInterfaces() {
  ifaddrs* head = nullptr;
  if (getifaddrs(&head) != 0) head = nullptr;
  return {head, &freeifaddrs};
}

// IPv4 as it is mapped into IPv6.
std::optional<ibv_gid> AddressOf(const sockaddr* address) {
  if (address == nullptr) return std::nullopt;
  ibv_gid gid{};
  if (address->sa_family == AF_INET6) {
    sockaddr_in6 ipv6{};
    std::memcpy(&ipv6, address, sizeof ipv6);
    std::memcpy(gid.raw, &ipv6.sin6_addr, sizeof gid.raw);
    return gid;
  }
  if (address->sa_family != AF_INET) return std::nullopt;
  sockaddr_in ipv4{};
  std::memcpy(&ipv4, address, sizeof ipv4);
  return MappedGid(ipv4.sin_addr.s_addr);
}

unsigned BitsIn(const sockaddr& netmask) {
  const std::optional<ibv_gid> mask = AddressOf(&netmask);
  if (!mask) return 0;
  // What maps an IPv4 address is not the mask's.
  const std::size_t first = netmask.sa_family == AF_INET ? sizeof mask->raw - 4 : 0;
  unsigned bits = 0;
  for (std::size_t i = first; i < sizeof mask->raw; ++i) {
    bits += static_cast<unsigned>(std::popcount(mask->raw[i]));
  }
  return bits;
}

}  // namespace

std::string InterfaceOfAddress(std::string_view ip) {
  const std::optional<ibv_gid> wanted = GidOfAddress(ip);
  if (!wanted) return {};
  // A VLAN has its parent's link-local address, so there the zone decides.
  const std::size_t percent = ip.find('%');
  const std::string_view zone = percent == ip.npos ? "" : ip.substr(percent + 1);
  std::string found;
  const Interfaces all = AllInterfaces();
  for (const ifaddrs* entry = all.get(); entry != nullptr; entry = entry->ifa_next) {
    const std::optional<ibv_gid> address = AddressOf(entry->ifa_addr);
    if (!address || !SameAddress(*wanted, *address)) continue;
    if (found.empty() || zone == entry->ifa_name) found = entry->ifa_name;
  }
  return found;
}

std::optional<unsigned> PrefixBitsOf(const ibv_gid& address) {
  const Interfaces all = AllInterfaces();
  for (const ifaddrs* entry = all.get(); entry != nullptr; entry = entry->ifa_next) {
    const std::optional<ibv_gid> own = AddressOf(entry->ifa_addr);
    if (!own || !SameAddress(address, *own) || entry->ifa_netmask == nullptr) continue;
    return BitsIn(*entry->ifa_netmask);
  }
  return std::nullopt;
}

}  // namespace rdmabench
