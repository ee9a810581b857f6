#include "bench/wire_model.h"

#include <algorithm>
#include <cassert>
#include <iterator>

namespace rdmabench {
namespace {

// InfiniBand Architecture Specification, volume 1, chapters 5 (packet format: LRH, GRH, BTH and the
// extended transport headers, ICRC, VCRC) and 9 (which packet of a message has which); RoCE:
// annexes A16 and A17. Ethernet: IEEE 802.3; the preamble has the start delimiter in it.
constexpr std::uint32_t kLrh = 8, kGrh = 40, kBth = 12, kIcrc = 4, kVcrc = 2;
constexpr std::uint32_t kReth = 16, kAtomicEth = 28, kImmediate = 4, kDeth = 8;
constexpr std::uint32_t kAeth = 4, kAtomicAckEth = 8;
constexpr std::uint32_t kPreamble = 8, kMac = 14, kFcs = 4, kGap = 12;
constexpr std::uint32_t kIpv4 = 20, kIpv6 = 40, kUdp = 8;
constexpr std::uint32_t kEthernet = kPreamble + kMac + kFcs + kGap;
constexpr std::uint32_t kTransport = kBth + kIcrc;
constexpr std::uint64_t kPadding = 4;

// The first that fits.
constexpr Encapsulation kEncapsulations[] = {
    {"", false, "InfiniBand", kLrh + kTransport + kVcrc},
    {"infiniband", false, "InfiniBand with a GRH", kLrh + kGrh + kTransport + kVcrc},
    {"roce_v1", false, "RoCE v1", kEthernet + kGrh + kTransport},
    {"roce_v2", true, "RoCE v2 over IPv4", kEthernet + kIpv4 + kUdp + kTransport},
    {"roce_v2", false, "RoCE v2 over IPv6", kEthernet + kIpv6 + kUdp + kTransport},
};

// The packets that carry a message, or the answer to it: extended headers of the first and of the
// last of several, and of one that is the only one.
struct Packets {
  bool have_payload;
  std::uint32_t first, last, only;
};

struct OpHeaders {
  std::string_view op;
  Packets request;
  std::optional<Packets> answer;
};

constexpr OpHeaders kOps[] = {
    {"write", {true, kReth, 0, kReth}, {}},
    {"write_imm", {true, kReth, kImmediate, kReth + kImmediate}, {}},
    {"read", {false, 0, 0, kReth}, Packets{true, kAeth, kAeth, kAeth}},
    {"send", {true, 0, 0, 0}, {}},
    {"send_imm", {true, 0, kImmediate, kImmediate}, {}},
    {"fetch_add", {false, 0, 0, kAtomicEth}, Packets{false, 0, 0, kAeth + kAtomicAckEth}},
    {"cmp_swap", {false, 0, 0, kAtomicEth}, Packets{false, 0, 0, kAeth + kAtomicAckEth}},
};

const OpHeaders& HeadersOf(const Op& op) {
  const auto* found = std::find_if(std::begin(kOps), std::end(kOps),
                                   [&](const OpHeaders& row) { return row.op == op.name; });
  assert(found != std::end(kOps) && "each operation has its row");
  return *found;
}

bool IsIpv4(const report::Gid& gid) {
  return gid.text.starts_with("::ffff:") && gid.text.find('.') != std::string::npos;
}

}  // namespace

const Encapsulation& EncapsulationOf(const std::optional<report::Gid>& gid) {
  const std::string_view type = gid ? std::string_view{gid->type} : std::string_view{};
  const auto* found = std::find_if(
      std::begin(kEncapsulations), std::end(kEncapsulations), [&](const Encapsulation& row) {
        return row.gid_type == type && (!row.is_ipv4 || (gid && IsIpv4(*gid)));
      });
  assert(found != std::end(kEncapsulations) && "each type of GID has its row");
  return *found;
}

std::uint32_t BytesOnInterface(const Encapsulation& encapsulation, std::uint32_t mtu_bytes) {
  if (!encapsulation.gid_type.starts_with("roce")) return 0;
  return mtu_bytes + encapsulation.packet_bytes - kEthernet;
}

MessageOnWire OnWire(const Op& op, const QpType& type, std::uint64_t message_bytes,
                     std::uint32_t mtu_bytes, const Encapsulation& encapsulation) {
  const std::uint32_t a_packet = encapsulation.packet_bytes + (type.OneMtuAMessage() ? kDeth : 0);
  const auto bytes_of = [&](const Packets& packets) {
    const std::uint64_t payload = packets.have_payload ? message_bytes : 0;
    const std::uint64_t count = std::max<std::uint64_t>(1, (payload + mtu_bytes - 1) / mtu_bytes);
    const std::uint64_t extended = count == 1 ? packets.only : packets.first + packets.last;
    const std::uint64_t padded = (payload + kPadding - 1) / kPadding * kPadding;
    return padded + count * a_packet + extended;
  };
  const OpHeaders& headers = HeadersOf(op);
  MessageOnWire wire{.there_bytes = bytes_of(headers.request)};
  if (headers.answer) wire.back_bytes = bytes_of(*headers.answer);
  return wire;
}

}  // namespace rdmabench
