#include "bench/op.h"

#include <gtest/gtest.h>

#include "bench/test.h"

namespace rdmabench {
namespace {

class OpTest : public testing::TestWithParam<Op> {};

TEST_P(OpTest, FillsTheOpcodeAndThePeersAddressAndKey) {
  ibv_send_wr request{};
  GetParam().fill(request, {.addr = 0x1000, .rkey = 7});
  EXPECT_EQ(request.wr.rdma.remote_addr, 0x1000U);
  EXPECT_EQ(request.wr.rdma.rkey, 7U);
}

TEST_P(OpTest, IsLegalOnRcAndNamesOnlyTypesThatExist) {
  std::string listed;
  for (const QpType& type : QpTypes()) {
    if (IsLegal(GetParam(), type)) listed += (listed.empty() ? "" : " ") + std::string(type.name);
  }
  EXPECT_EQ(listed, GetParam().qp_types);
  EXPECT_TRUE(IsLegal(GetParam(), FindQpType("rc")));
}

TEST_P(OpTest, HasABandwidthTest) {
  const rdmabench::Test& test = FindTest(std::string(GetParam().name) + "_bw");
  EXPECT_EQ(test.op->name, GetParam().name);
  EXPECT_EQ(test.metric, Metric::kBandwidth);
}

INSTANTIATE_TEST_SUITE_P(Rows, OpTest, testing::ValuesIn(Ops().begin(), Ops().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Op, WriteNeedsRemoteWriteAndNothingElse) {
  EXPECT_EQ(FindOp("write").peer_access, IBV_ACCESS_REMOTE_WRITE);
}

TEST(Op, WriteIsIllegalOnUd) { EXPECT_FALSE(IsLegal(FindOp("write"), FindQpType("ud"))); }

}  // namespace
}  // namespace rdmabench
