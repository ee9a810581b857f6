// What a message takes on the link beside its payload: the headers of its packets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "bench/op.h"
#include "report/report.h"
#include "transport/qp_type.h"

namespace rdmabench {

// What surrounds each packet of the transport, with its base header and its checksums. A VLAN tag
// (4 bytes) is not in it: whether the fabric has one is not known here.
struct Encapsulation {
  std::string_view gid_type;  // as reports name it; "": addressed by LIDs alone
  bool is_ipv4;
  std::string_view words;  // "RoCE v2 over IPv4"
  std::uint32_t packet_bytes;
};

// Of packets that go between ports with such a GID; absent: without one.
const Encapsulation& EncapsulationOf(const std::optional<report::Gid>& gid);

// What a packet with a full payload takes of an interface's own MTU, which counts from the network
// header on; 0 on InfiniBand, whose ports have one MTU only.
std::uint32_t BytesOnInterface(const Encapsulation& encapsulation, std::uint32_t mtu_bytes);

struct MessageOnWire {
  std::uint64_t there_bytes = 0;  // from the initiator
  std::uint64_t back_bytes = 0;   // answers with data; acknowledgements, which devices save, are 0
};

// The least that a message takes, with its headers and its padding to four bytes.
MessageOnWire OnWire(const Op& op, const QpType& type, std::uint64_t message_bytes,
                     std::uint32_t mtu_bytes, const Encapsulation& encapsulation);

}  // namespace rdmabench
