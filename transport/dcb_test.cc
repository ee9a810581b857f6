#include "transport/dcb.h"

#include <gtest/gtest.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

#include <cstring>
#include <vector>

namespace rdmabench {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes BytesOf(const T& value) {
  const auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

void Append(Bytes& bytes, const Bytes& more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
  bytes.resize(NLMSG_ALIGN(bytes.size()));
}

Bytes Attribute(int type, const Bytes& body) {
  Bytes bytes = BytesOf(rtattr{.rta_len = static_cast<unsigned short>(sizeof(rtattr) + body.size()),
                               .rta_type = static_cast<unsigned short>(type)});
  Append(bytes, body);
  return bytes;
}

// The kernel's answer with these attributes of DCB_ATTR_IEEE.
Bytes Answer(const Bytes& ieee) {
  Bytes body = BytesOf(dcbmsg{.dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_GET, .dcb_pad = 0});
  Append(body, Attribute(DCB_ATTR_IFNAME, BytesOf("eth2")));
  Append(body, Attribute(DCB_ATTR_IEEE | NLA_F_NESTED, ieee));
  nlmsghdr header{};
  header.nlmsg_len = static_cast<std::uint32_t>(sizeof header + body.size());
  header.nlmsg_type = RTM_GETDCB;
  Bytes bytes = BytesOf(header);
  Append(bytes, body);
  return bytes;
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
