#include "transport/dcb.h"

#include <gtest/gtest.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

#include "transport/netlink_message.h"

namespace rdmabench {
namespace {

// The kernel's answer with these attributes of DCB_ATTR_IEEE.
Bytes Answer(const Bytes& ieee) {
  Bytes body = BytesOf(dcbmsg{.dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_GET, .dcb_pad = 0});
  Append(body, Attribute(DCB_ATTR_IFNAME, BytesOf("eth2")));
  Append(body, Attribute(DCB_ATTR_IEEE | NLA_F_NESTED, ieee));
  return Message(RTM_GETDCB, body);
}

Bytes Pfc(std::uint8_t enabled) {
  ieee_pfc pfc{};
  pfc.pfc_cap = 8;
  pfc.pfc_en = enabled;
  return Attribute(DCB_ATTR_IEEE_PFC, BytesOf(pfc));
}

Bytes Application(std::uint8_t selector) {
  return Attribute(DCB_ATTR_IEEE_APP,
                   BytesOf(dcb_app{.selector = selector, .priority = 3, .protocol = 26}));
}

TEST(FlowControl, HasTheLosslessPriorities) {
  EXPECT_EQ(FlowControlIn(Answer(Pfc(0x28))), (FlowControl{0x28, false}));
}

TEST(FlowControl, TellsWhetherADscpHasAPriority) {
  Bytes ieee = Pfc(0x08);
  Append(ieee, Attribute(DCB_ATTR_IEEE_APP_TABLE, Application(IEEE_8021QAZ_APP_SEL_ETHERTYPE)));
  EXPECT_EQ(FlowControlIn(Answer(ieee)), (FlowControl{0x08, false}));
  Append(ieee, Attribute(DCB_ATTR_IEEE_APP_TABLE, Application(IEEE_8021QAZ_APP_SEL_DSCP)));
  EXPECT_EQ(FlowControlIn(Answer(ieee)), (FlowControl{0x08, true}));
}

TEST(FlowControl, IsNotKnownWhereTheAnswerHasNoPfc) {
  EXPECT_FALSE(FlowControlIn(
      Answer(Attribute(DCB_ATTR_IEEE_APP_TABLE, Application(IEEE_8021QAZ_APP_SEL_DSCP)))));
  EXPECT_FALSE(FlowControlIn(Answer({})));
}

TEST(FlowControl, IsNotKnownOfAnError) {
  nlmsghdr header{};
  header.nlmsg_len = sizeof header;
  header.nlmsg_type = NLMSG_ERROR;
  EXPECT_FALSE(FlowControlIn(BytesOf(header)));
  EXPECT_FALSE(FlowControlIn({}));
}

TEST(FlowControl, IsNotReadBeyondTheEnd) {
  const Bytes whole = Answer(Pfc(0xff));
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(FlowControlIn(std::span(whole).first(size))) << size;
  }
}

TEST(FlowControl, IsNotKnownOfAnInterfaceThatIsNotThere) {
  EXPECT_FALSE(ReadFlowControl("no-such-if"));
}

}  // namespace
}  // namespace rdmabench
