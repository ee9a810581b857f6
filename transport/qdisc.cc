#include "transport/qdisc.h"

#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>

#include <array>

#include "transport/descriptor.h"
#include "transport/netlink.h"

namespace rdmabench {
namespace {

void TakeStatistics(std::span<const std::byte> nested, PortCounters& counters) {
  while (const auto piece = Next(nested, &rtattr::rta_len)) {
    const int kind = piece->header.rta_type & NLA_TYPE_MASK;
    if (const auto basic = As<gnet_stats_basic>(piece->body); basic && kind == TCA_STATS_BASIC) {
      counters["qdisc_bytes"] = basic->bytes;
      counters["qdisc_packets"] = basic->packets;
    }
    if (const auto queue = As<gnet_stats_queue>(piece->body); queue && kind == TCA_STATS_QUEUE) {
      counters["qdisc_drops"] = queue->drops;
      counters["qdisc_overlimits"] = queue->overlimits;
      counters["qdisc_requeues"] = queue->requeues;
      counters["qdisc_backlog_bytes"] = queue->backlog;
    }
  }
}

bool Ask(const Descriptor& socket) {
  struct {
    nlmsghdr header;
    tcmsg message;
  } request{};
  request.header = {.nlmsg_len = sizeof request,
                    .nlmsg_type = RTM_GETQDISC,
                    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
                    .nlmsg_seq = 1,
                    .nlmsg_pid = 0};
  request.message.tcm_family = AF_UNSPEC;
  return setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &kNetlinkPatience,
                    sizeof kNetlinkPatience) == 0 &&
         send(socket.get(), &request, sizeof request, 0) == sizeof request;
}

}  // namespace

bool TakeQdiscs(std::span<const std::byte> datagram, int interface_index, PortCounters& counters) {
  while (const auto message = Next(datagram, &nlmsghdr::nlmsg_len)) {
    if (message->header.nlmsg_type != RTM_NEWQDISC) return false;  // done, or an error
    const auto qdisc = As<tcmsg>(message->body);
    if (!qdisc || qdisc->tcm_ifindex != interface_index || qdisc->tcm_parent != TC_H_ROOT) continue;
    std::span<const std::byte> attributes = message->body.subspan(sizeof(tcmsg));
    while (const auto attribute = Next(attributes, &rtattr::rta_len)) {
      if ((attribute->header.rta_type & NLA_TYPE_MASK) != TCA_STATS2) continue;
      TakeStatistics(attribute->body, counters);
    }
  }
  return true;
}

PortCounters ReadQdisc(const std::string& netdev) {
  PortCounters counters;
  const unsigned index = if_nametoindex(netdev.c_str());
  if (index == 0) return counters;
  const Descriptor socket(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (socket.get() < 0 || !Ask(socket)) return counters;
  std::array<std::byte, 32768> datagram;  // the kernel's own size for a dump's part
  for (;;) {
    const ssize_t size = recv(socket.get(), datagram.data(), datagram.size(), 0);
    if (size <= 0) return counters;
    const std::span<const std::byte> part(datagram.data(), static_cast<std::size_t>(size));
    if (!TakeQdiscs(part, static_cast<int>(index), counters)) return counters;
  }
}

}  // namespace rdmabench
