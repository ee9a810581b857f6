// Which port of a server is joined to which device of its client.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "bench/agreement.h"
#include "transport/device_info.h"

namespace rdmabench {

// Why a server uses the port that it does. The first two go by the place in a list.
enum class PairedBy {
  kClient,   // --remote-device names it
  kServer,   // the server's own --ib-dev does
  kSession,  // both ends have the addresses of the session
  kSubnet,   // both have a routable GID in one subnet
  kOrder,    // nothing tells: the first one that is left
};
std::string_view PairedByName(PairedBy why);  // "client", "server", …
std::optional<PairedBy> FindPairedBy(std::string_view name);

struct PairingQuestion {
  std::span<const Offer> client;
  std::span<const PortInfo> own;  // the server's active ports
  std::string_view client_ip;     // of the session
  std::string_view server_ip;
};

struct Pairing {
  std::size_t own = 0;
  PairedBy why = PairedBy::kOrder;
};

// The server's own choice, for each of the client's devices in order: of equal link layer, no port
// twice, and each by the first reason that holds for a port, before any goes by the next. Absent:
// no port is left.
std::vector<std::optional<Pairing>> PairPorts(const PairingQuestion& question);

}  // namespace rdmabench
