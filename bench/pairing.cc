#include "bench/pairing.h"

#include <algorithm>
#include <array>

namespace rdmabench {
namespace {

constexpr std::array<std::string_view, 5> kNames = {"client", "server", "session", "subnet",
                                                    "order"};

bool Holds(PairedBy why, const PairingQuestion& question, const Offer& client,
           const PortInfo& port) {
  if (port.link_layer != client.link_layer) return false;
  if (why == PairedBy::kSession) {
    return HaveAddress(client.gids, question.client_ip) &&
           HaveAddress(port.gids, question.server_ip);
  }
  return why == PairedBy::kOrder || ShareSubnet(client.gids, port.gids);
}

}  // namespace

std::string_view PairedByName(PairedBy why) { return kNames[static_cast<std::size_t>(why)]; }

std::optional<PairedBy> FindPairedBy(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<PairedBy>(found - kNames.begin());
}

std::vector<std::optional<Pairing>> PairPorts(const PairingQuestion& question) {
  std::vector<std::optional<Pairing>> pairs(question.client.size());
  std::vector<bool> taken(question.own.size());
  for (const PairedBy why : {PairedBy::kSession, PairedBy::kSubnet, PairedBy::kOrder}) {
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      for (std::size_t own = 0; own < taken.size() && !pairs[i]; ++own) {
        if (taken[own] || !Holds(why, question, question.client[i], question.own[own])) continue;
        pairs[i] = Pairing{own, why};
        taken[own] = true;
      }
    }
  }
  return pairs;
}

}  // namespace rdmabench
