#include "transport/dcb.h"

#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "transport/descriptor.h"
#include "transport/netlink.h"

namespace rdmabench {
namespace {

int KindOf(const rtattr& header) { return header.rta_type & NLA_TYPE_MASK; }

void TakeApplications(std::span<const std::byte> table, FlowControl& flow) {
  while (const auto piece = Next(table, &rtattr::rta_len)) {
    const auto entry = As<dcb_app>(piece->body);
    if (entry && entry->selector == IEEE_8021QAZ_APP_SEL_DSCP) flow.trusts_dscp = true;
  }
}

// Absent where the driver tells nothing of PFC, which is not that no priority is lossless.
std::optional<FlowControl> FlowControlOf(std::span<const std::byte> ieee) {
  FlowControl flow;
  bool is_told = false;
  while (const auto piece = Next(ieee, &rtattr::rta_len)) {
    if (KindOf(piece->header) == DCB_ATTR_IEEE_PFC) {
      const auto pfc = As<ieee_pfc>(piece->body);
      if (!pfc) return std::nullopt;
      flow.lossless_priorities = pfc->pfc_en;
      is_told = true;
    }
    if (KindOf(piece->header) == DCB_ATTR_IEEE_APP_TABLE) TakeApplications(piece->body, flow);
  }
  return is_told ? std::optional(flow) : std::nullopt;
}

bool Ask(const Descriptor& socket, const std::string& netdev) {
  struct {
    nlmsghdr header;
    dcbmsg message;
    rtattr attribute;
    char name[IFNAMSIZ];
  } request{};
  if (netdev.size() >= sizeof request.name) return false;
  request.header = {.nlmsg_len = sizeof request,
                    .nlmsg_type = RTM_GETDCB,
                    .nlmsg_flags = NLM_F_REQUEST,
                    .nlmsg_seq = 1,
                    .nlmsg_pid = 0};
  request.message = {.dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_GET, .dcb_pad = 0};
  request.attribute = {.rta_len = sizeof request.attribute + sizeof request.name,
                       .rta_type = DCB_ATTR_IFNAME};
  std::memcpy(request.name, netdev.data(), netdev.size());
  return setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kNetlinkPatience,
                    sizeof kNetlinkPatience) == 0 &&
         send(socket.get(), &request, sizeof request, 0) == sizeof request;
}

}  // namespace

std::optional<FlowControl> FlowControlIn(std::span<const std::byte> datagram) {
  const auto message = Next(datagram, &nlmsghdr::nlmsg_len);
  if (!message || message->header.nlmsg_type != RTM_GETDCB) return std::nullopt;
  if (message->body.size() < sizeof(dcbmsg)) return std::nullopt;
  std::span<const std::byte> attributes = message->body.subspan(sizeof(dcbmsg));
  while (const auto piece = Next(attributes, &rtattr::rta_len)) {
    if (KindOf(piece->header) == DCB_ATTR_IEEE) return FlowControlOf(piece->body);
  }
  return std::nullopt;
}

std::optional<FlowControl> ReadFlowControl(const std::string& netdev) {
  const Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (socket.get() < 0 || !Ask(socket, netdev)) return std::nullopt;
  std::array<std::byte, 32768> datagram;
  const ssize_t size = recv(socket.get(), datagram.data(), datagram.size(), 0);
  if (size <= 0) return std::nullopt;
  return FlowControlIn(std::span(datagram).first(static_cast<std::size_t>(size)));
}

}  // namespace rdmabench
