#include "bench/wire_model.h"

#include <gtest/gtest.h>

#include <string>

namespace rdmabench {
namespace {

const report::Gid kIpv4{.index = 3, .type = "roce_v2", .text = "::ffff:10.0.0.1"};
const report::Gid kIpv6{.index = 3, .type = "roce_v2", .text = "fd77::1"};
const report::Gid kRoceV1{.index = 2, .type = "roce_v1", .text = "::ffff:10.0.0.1"};
const report::Gid kGrh{.index = 0, .type = "infiniband", .text = "fe80::1"};

struct Surround {
  std::string name;
  std::optional<report::Gid> gid;
  std::string words;
  std::uint32_t packet_bytes;
};

class EncapsulationTest : public testing::TestWithParam<Surround> {};

TEST_P(EncapsulationTest, IsWhatSurroundsAPacket) {
  const Encapsulation& found = EncapsulationOf(GetParam().gid);
  EXPECT_EQ(found.words, GetParam().words);
  EXPECT_EQ(found.packet_bytes, GetParam().packet_bytes);
}

// RoCE v2 over IPv4: preamble 8, MAC 14, IP 20, UDP 8, BTH 12, ICRC 4, FCS 4, gap 12. RoCE v1 has a
// GRH of 40 in place of IP and UDP; InfiniBand LRH 8, BTH 12, ICRC 4, VCRC 2.
INSTANTIATE_TEST_SUITE_P(All, EncapsulationTest,
                         testing::Values(Surround{"roce_v2_ipv4", kIpv4, "RoCE v2 over IPv4", 82},
                                         Surround{"roce_v2_ipv6", kIpv6, "RoCE v2 over IPv6", 102},
                                         Surround{"roce_v1", kRoceV1, "RoCE v1", 94},
                                         Surround{"infiniband", {}, "InfiniBand", 26},
                                         Surround{"infiniband_grh", kGrh, "InfiniBand with a GRH",
                                                  66}),
                         [](const auto& row) { return row.param.name; });

struct Message {
  std::string op;
  std::string qp_type;
  std::uint64_t message_bytes;
  std::uint32_t mtu_bytes;
  std::optional<report::Gid> gid;
  std::uint64_t there_bytes;
  std::uint64_t back_bytes;
};

class OnWireTest : public testing::TestWithParam<Message> {};

TEST_P(OnWireTest, IsWithAllHeaders) {
  const Message& message = GetParam();
  const MessageOnWire wire =
      OnWire(FindOp(message.op), FindQpType(message.qp_type), message.message_bytes,
             message.mtu_bytes, EncapsulationOf(message.gid));
  EXPECT_EQ(wire.there_bytes, message.there_bytes);
  EXPECT_EQ(wire.back_bytes, message.back_bytes);
}

// Summed up by hand.
INSTANTIATE_TEST_SUITE_P(
    All, OnWireTest,
    testing::Values(
        // 16 × (4096 + 82): 98.04 % of the link is payload
        Message{"send", "rc", 65536, 4096, kIpv4, 66848, 0},
        // 64 × (1024 + 82): 92.59 %
        Message{"send", "rc", 65536, 1024, kIpv4, 70784, 0},
        Message{"write", "rc", 65536, 4096, kIpv4, 66848 + 16, 0},
        Message{"write", "uc", 8, 4096, kIpv4, 8 + 82 + 16, 0},
        Message{"write", "rc", 65536, 4096, {}, 16 * (4096 + 26) + 16, 0},
        Message{"write", "rc", 4097, 4096, kGrh, 4100 + 2 * 66 + 16, 0},
        Message{"write_imm", "rc", 64, 4096, kIpv4, 64 + 82 + 16 + 4, 0},
        Message{"write_imm", "rc", 8192, 4096, kIpv6, 8192 + 2 * 102 + 16 + 4, 0},
        // A request carries no payload; the first and the last packet of the answer an AETH.
        Message{"read", "rc", 65536, 4096, kIpv4, 82 + 16, 66848 + 2 * 4},
        Message{"read", "rc", 8, 4096, kIpv4, 82 + 16, 8 + 82 + 4},
        // Padded to four bytes.
        Message{"send_imm", "rc", 1, 4096, kIpv4, 4 + 82 + 4, 0},
        Message{"send", "ud", 4096, 4096, kRoceV1, 4096 + 94 + 8, 0},
        Message{"send_imm", "ud", 64, 4096, kIpv4, 64 + 82 + 8 + 4, 0},
        Message{"fetch_add", "rc", 8, 4096, kIpv4, 82 + 28, 82 + 4 + 8},
        Message{"cmp_swap", "rc", 8, 4096, kIpv4, 82 + 28, 82 + 4 + 8}),
    [](const auto& row) {
      return row.param.op + "_" + row.param.qp_type + "_" +
             std::to_string(row.param.message_bytes) + "_" + std::to_string(row.index);
    });

TEST(WireModel, HasARowForEachOperation) {
  for (const Op& op : Ops()) {
    const std::uint64_t payload = op.fixed_size != 0 ? op.fixed_size : 4096;
    const MessageOnWire wire = OnWire(op, FindQpType("rc"), payload, 4096, EncapsulationOf(kIpv4));
    EXPECT_GT(wire.there_bytes + wire.back_bytes, payload) << op.name;
    EXPECT_EQ(wire.back_bytes > 0, op.IsBoundByReadDepth()) << op.name;
  }
}

}  // namespace
}  // namespace rdmabench
