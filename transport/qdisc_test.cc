#include "transport/qdisc.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "transport/netlink_message.h"

namespace rdmabench {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

constexpr int kInterface = 3;

// As the kernel tells of a queueing discipline that has dropped so many packets.
Bytes Qdisc(int interface_index, std::uint32_t parent, std::uint32_t drops) {
  tcmsg message{};
  message.tcm_ifindex = interface_index;
  message.tcm_parent = parent;
  Bytes statistics;
  Append(statistics,
         Attribute(TCA_STATS_BASIC, BytesOf(gnet_stats_basic{.bytes = 9000, .packets = 6})));
  Append(
      statistics,
      Attribute(TCA_STATS_QUEUE,
                BytesOf(gnet_stats_queue{
                    .qlen = 1, .backlog = 1500, .drops = drops, .requeues = 4, .overlimits = 5})));
  Bytes body = BytesOf(message);
  Append(body, Attribute(TCA_KIND, {std::byte{'t'}, std::byte{'b'}, std::byte{'f'}, std::byte{0}}));
  Append(body, Attribute(TCA_STATS2 | NLA_F_NESTED, statistics));
  return Message(RTM_NEWQDISC, body);
}

PortCounters Taken(const Bytes& datagram, bool expected = true) {
  PortCounters counters;
  EXPECT_EQ(TakeQdiscs(datagram, kInterface, counters), expected);
  return counters;
}

TEST(Qdisc, CountsWhatItsRootDoes) {
  EXPECT_THAT(Taken(Qdisc(kInterface, TC_H_ROOT, 7)),
              UnorderedElementsAre(Pair("qdisc_bytes", 9000), Pair("qdisc_packets", 6),
                                   Pair("qdisc_drops", 7), Pair("qdisc_overlimits", 5),
                                   Pair("qdisc_requeues", 4), Pair("qdisc_backlog_bytes", 1500)));
}

TEST(Qdisc, IsTheInterfacesOwnAndTheRootsAlone) {
  Bytes datagram = Qdisc(kInterface + 1, TC_H_ROOT, 1);
  Append(datagram, Qdisc(kInterface, TC_H_INGRESS, 2));
  Append(datagram, Qdisc(kInterface, 0x10001, 3));
  EXPECT_THAT(Taken(datagram), IsEmpty());
  Append(datagram, Qdisc(kInterface, TC_H_ROOT, 4));
  EXPECT_EQ(Taken(datagram).at("qdisc_drops"), 4U);
}

TEST(Qdisc, EndsWithTheKernelsLastWord) {
  Bytes datagram = Qdisc(kInterface, TC_H_ROOT, 7);
  Append(datagram, Message(NLMSG_DONE, BytesOf(0)));
  EXPECT_EQ(Taken(datagram, false).at("qdisc_drops"), 7U);
  EXPECT_THAT(Taken(Message(NLMSG_ERROR, BytesOf(nlmsgerr{})), false), IsEmpty());
}

// Every cut through the answer is either read up to there or left alone, but never read beyond.
TEST(Qdisc, SurvivesAnAnswerThatIsCutShort) {
  const Bytes whole = Qdisc(kInterface, TC_H_ROOT, 7);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_THAT(Taken(cut), IsEmpty()) << size;
  }
}

// A message whose own length is right, but one of whose attributes says that it is longer.
TEST(Qdisc, DoesNotBelieveAnAttributeThatIsLongerThanItsMessage) {
  Bytes datagram = Qdisc(kInterface, TC_H_ROOT, 7);
  const rtattr endless{.rta_len = 0xffff, .rta_type = TCA_KIND};
  std::memcpy(datagram.data() + sizeof(nlmsghdr) + sizeof(tcmsg), &endless, sizeof endless);
  EXPECT_THAT(Taken(datagram), IsEmpty());
}

TEST(Qdisc, IsReadFromTheKernelOrNotThere) {
  EXPECT_THAT(ReadQdisc("no-such-netdev"), IsEmpty());
  for (const auto& [name, value] : ReadQdisc("lo")) EXPECT_TRUE(name.starts_with("qdisc_")) << name;
}

}  // namespace
}  // namespace rdmabench
