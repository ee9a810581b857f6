// GIDs as text with their types, and the choice of a pair that can talk to each other.
#pragma once

#include <infiniband/verbs.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace rdmabench {

// Where an address handle names a GID it has 8 bits for it.
inline constexpr int kMostGidIndex = 255;

enum class GidType { kInfiniBand, kRoceV1, kRoceV2 };
std::string_view GidTypeName(GidType type);  // "infiniband", "roce_v1", "roce_v2"
std::optional<GidType> FindGidType(std::string_view name);
std::string GidTypeNames();  // all of them, for texts

struct Gid {
  int index = 0;
  GidType type = GidType::kRoceV2;
  ibv_gid raw{};
  std::string netdev;  // the interface it came from; empty when not known

  std::string Text() const;  // "::ffff:192.168.77.1", "fe80::5054:ff:fe12:3456"
  bool IsIpv4() const;       // an IPv4 address mapped into IPv6
  bool IsLinkLocal() const;  // fe80::/10, or 169.254.0.0/16 mapped
  bool IsZero() const;       // an empty entry of the table
};

// Whether one of them is this IP address (text; a zone after '%' is ignored).
bool HaveAddress(std::span<const Gid> gids, std::string_view ip);
// Whether a routable one of each, of equal type, are in one subnet, as ChooseGidPair() sees it.
bool ShareSubnet(std::span<const Gid> one, std::span<const Gid> other);

// Whether both are of one family and in one network of so many leading bits (of an IPv4 address, or
// of all 128); absent: the usual ones, 24 and 64.
bool SameSubnet(const ibv_gid& a, const ibv_gid& b, std::optional<unsigned> prefix_bits = {});
// Those usual ones.
unsigned UsualPrefixBits(const ibv_gid& gid);

bool SameAddress(const ibv_gid& a, const ibv_gid& b);
// An IPv4 address, in network byte order, as a GID has it.
ibv_gid MappedGid(std::uint32_t ipv4);
// An IP address (text; a zone after '%' is ignored) as a GID has it; absent where it is none.
std::optional<ibv_gid> GidOfAddress(std::string_view ip);

std::string GidText(const ibv_gid& gid);
ibv_gid ParseGid(std::string_view text);  // throws Error(kRun)

struct GidPair {
  Gid client;
  Gid server;
};

// What the choice is made from: the GIDs that each side can use (all, or the one that -x named) and
// the IP addresses of the session's TCP connection (text, a zone after '%' is ignored).
struct GidQuestion {
  std::span<const Gid> client;
  std::span<const Gid> server;
  std::string_view client_ip;
  std::string_view server_ip;
};

// The pair of equal type and family that ranks highest: both are the session's own addresses; the
// same subnet as them; RoCE v2 before v1; routable before link-local; the same subnet as each
// other; then the lowest indexes. A GID has no prefix length, so the same subnet means the same /24
// (IPv4) or /64 (IPv6). Throws Error(kEnvironment) with both lists in the text when no two match.
GidPair ChooseGidPair(const GidQuestion& question);

}  // namespace rdmabench
