#include "transport/gid.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "transport/catalogue.h"
#include "transport/error.h"
#include "transport/joined.h"

namespace rdmabench {
namespace {

constexpr std::array<std::pair<GidType, std::string_view>, 3> kTypeNames = {{
    {GidType::kInfiniBand, "infiniband"},
    {GidType::kRoceV1, "roce_v1"},
    {GidType::kRoceV2, "roce_v2"},
}};
constexpr std::uint8_t kMappedPrefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
// GIDs come without a prefix length, so the usual ones stand in.
constexpr unsigned kIpv4PrefixBits = 24;
constexpr unsigned kIpv6PrefixBits = 64;
constexpr std::size_t kMostGidsShown = 8;

bool IsMapped(const ibv_gid& gid) {
  return std::memcmp(gid.raw, kMappedPrefix, sizeof kMappedPrefix) == 0;
}

bool CanTalk(const Gid& a, const Gid& b) {
  return a.type == b.type && a.IsIpv4() == b.IsIpv4() && a.IsLinkLocal() == b.IsLinkLocal();
}

// Compared from the first entry on; the larger is the better pair.
using Rank = std::array<int, 7>;

struct SessionAddresses {
  std::optional<ibv_gid> client;
  std::optional<ibv_gid> server;
};

Rank RankOf(const Gid& client, const Gid& server, const SessionAddresses& session) {
  const bool known = session.client && session.server;
  const bool own =
      known && SameAddress(client.raw, *session.client) && SameAddress(server.raw, *session.server);
  const bool own_subnet =
      known && SameSubnet(client.raw, *session.client) && SameSubnet(server.raw, *session.server);
  return {own,
          own_subnet,
          client.type == GidType::kRoceV2,
          !client.IsLinkLocal(),
          SameSubnet(client.raw, server.raw),
          -client.index,
          -server.index};
}

std::string Describe(std::span<const Gid> gids) {
  if (gids.empty()) return "none";
  std::string text;
  for (const Gid& gid : gids.first(std::min(gids.size(), kMostGidsShown))) {
    if (!text.empty()) text += ", ";
    text += std::to_string(gid.index) + " " + gid.Text() + " " + std::string(GidTypeName(gid.type));
  }
  if (gids.size() > kMostGidsShown) {
    text += " and " + std::to_string(gids.size() - kMostGidsShown) + " more";
  }
  return text;
}

}  // namespace

std::string_view GidTypeName(GidType type) {
  for (const auto& [known, name] : kTypeNames) {
    if (known == type) return name;
  }
  return "unknown";
}

std::string GidTypeNames() { return Joined(kTypeNames, &decltype(kTypeNames)::value_type::second); }

std::optional<GidType> FindGidType(std::string_view name) {
  for (const auto& [type, known] : kTypeNames) {
    if (known == name) return type;
  }
  return std::nullopt;
}

std::string Gid::Text() const { return GidText(raw); }

bool Gid::IsIpv4() const { return IsMapped(raw); }

bool Gid::IsLinkLocal() const {
  if (IsMapped(raw)) return raw.raw[12] == 169 && raw.raw[13] == 254;
  return raw.raw[0] == 0xfe && (raw.raw[1] & 0xc0) == 0x80;
}

bool Gid::IsZero() const { return SameAddress(raw, ibv_gid{}); }

bool HaveAddress(std::span<const Gid> gids, std::string_view ip) {
  const std::optional<ibv_gid> address = GidOfAddress(ip);
  return address && std::any_of(gids.begin(), gids.end(),
                                [&](const Gid& gid) { return SameAddress(gid.raw, *address); });
}

bool ShareSubnet(std::span<const Gid> one, std::span<const Gid> other) {
  return std::any_of(one.begin(), one.end(), [&](const Gid& gid) {
    return !gid.IsLinkLocal() && std::any_of(other.begin(), other.end(), [&](const Gid& peer) {
      return CanTalk(gid, peer) && SameSubnet(gid.raw, peer.raw);
    });
  });
}

bool SameSubnet(const ibv_gid& a, const ibv_gid& b, std::optional<unsigned> prefix_bits) {
  if (IsMapped(a) != IsMapped(b)) return false;
  // An IPv4 address is mapped into the last four bytes.
  const unsigned before = IsMapped(a) ? 8 * sizeof kMappedPrefix : 0;
  const unsigned bits =
      std::min<unsigned>(before + prefix_bits.value_or(UsualPrefixBits(a)), 8 * sizeof a.raw);
  if (std::memcmp(a.raw, b.raw, bits / 8) != 0) return false;
  if (bits % 8 == 0) return true;
  return (a.raw[bits / 8] ^ b.raw[bits / 8]) >> (8 - bits % 8) == 0;
}

unsigned UsualPrefixBits(const ibv_gid& gid) {
  return IsMapped(gid) ? kIpv4PrefixBits : kIpv6PrefixBits;
}

bool SameAddress(const ibv_gid& a, const ibv_gid& b) {
  return std::memcmp(a.raw, b.raw, sizeof a.raw) == 0;
}

ibv_gid MappedGid(std::uint32_t ipv4) {
  ibv_gid gid{};
  std::memcpy(gid.raw, kMappedPrefix, sizeof kMappedPrefix);
  std::memcpy(gid.raw + sizeof kMappedPrefix, &ipv4, sizeof ipv4);
  return gid;
}

std::optional<ibv_gid> GidOfAddress(std::string_view ip) {
  const std::string text(ip.substr(0, ip.find('%')));
  ibv_gid gid{};
  if (inet_pton(AF_INET6, text.c_str(), gid.raw) == 1) return gid;
  in_addr ipv4{};
  if (inet_pton(AF_INET, text.c_str(), &ipv4) == 1) return MappedGid(ipv4.s_addr);
  return std::nullopt;
}

std::string GidText(const ibv_gid& gid) {
  char text[INET6_ADDRSTRLEN] = {};
  inet_ntop(AF_INET6, gid.raw, text, sizeof text);
  return text;
}

ibv_gid ParseGid(std::string_view text) {
  ibv_gid gid{};
  if (inet_pton(AF_INET6, std::string(text).c_str(), gid.raw) != 1) {
    throw Error(Blame::kRun, "\"" + std::string(text.substr(0, INET6_ADDRSTRLEN)) +
                                 "\" is not a GID (eight groups of hexadecimal digits)");
  }
  return gid;
}

GidPair ChooseGidPair(const GidQuestion& question) {
  const SessionAddresses session{GidOfAddress(question.client_ip),
                                 GidOfAddress(question.server_ip)};
  std::optional<GidPair> best;
  Rank best_rank{};
  for (const Gid& client : question.client) {
    for (const Gid& server : question.server) {
      if (!CanTalk(client, server)) continue;
      const Rank rank = RankOf(client, server, session);
      if (best && rank <= best_rank) continue;
      best = GidPair{client, server};
      best_rank = rank;
    }
  }
  if (best) return *best;
  throw SessionError(
      "gid_pair",
      "no GID of the client can talk to one of the server (equal type, equal family, both "
      "link-local or both not); client: " +
          Describe(question.client) + "; server: " + Describe(question.server));
}

}  // namespace rdmabench
