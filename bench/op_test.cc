#include "bench/op.h"

#include <gtest/gtest.h>

#include "bench/test.h"

namespace rdmabench {
namespace {

class OpTest : public testing::TestWithParam<Op> {};

TEST_P(OpTest, NamesThePeersMemoryWhereItNeedsAccess) {
  ibv_send_wr request{};
  GetParam().fill(request, {.addr = 0x1000, .rkey = 7});
  const bool named = GetParam().peer_access != 0;
  const std::uint64_t addr =
      GetParam().IsAtomic() ? request.wr.atomic.remote_addr : request.wr.rdma.remote_addr;
  const std::uint32_t rkey = GetParam().IsAtomic() ? request.wr.atomic.rkey : request.wr.rdma.rkey;
  EXPECT_EQ(addr, named ? 0x1000U : 0U);
  EXPECT_EQ(rkey, named ? 7U : 0U);
}

TEST_P(OpTest, SaysWhetherItsRequestsCarryAnImmediate) {
  ibv_send_wr request{};
  GetParam().fill(request, {});
  const bool carries =
      request.opcode == IBV_WR_SEND_WITH_IMM || request.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
  EXPECT_EQ(GetParam().immediate, carries);
}

// Whoever takes receives completes them as such, and the other opcodes have names, too.
TEST_P(OpTest, HasNamesForItsCompletions) {
  EXPECT_NE(OpcodeName(GetParam().sent), "unknown");
  EXPECT_NE(OpcodeName(GetParam().received), "unknown");
}

TEST_P(OpTest, IsLegalOnRcAndNamesOnlyTypesThatExist) {
  std::string listed;
  for (const QpType& type : QpTypes()) {
    if (IsLegal(GetParam(), type)) listed += (listed.empty() ? "" : " ") + std::string(type.name);
  }
  EXPECT_EQ(listed, GetParam().qp_types);
  EXPECT_TRUE(IsLegal(GetParam(), FindQpType("rc")));
}

TEST_P(OpTest, HasATestOfEachMetric) {
  for (const Metric metric : {Metric::kBandwidth, Metric::kLatency}) {
    const rdmabench::Test& test =
        FindTest(std::string(GetParam().name) + "_" + std::string(MetricName(metric)));
    EXPECT_EQ(test.op->name, GetParam().name);
    EXPECT_EQ(test.metric, metric);
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, OpTest, testing::ValuesIn(Ops().begin(), Ops().end()),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(Op, WriteNeedsRemoteWriteAndNothingElse) {
  EXPECT_EQ(FindOp("write").peer_access, IBV_ACCESS_REMOTE_WRITE);
}

TEST(Op, WriteIsIllegalOnUd) { EXPECT_FALSE(IsLegal(FindOp("write"), FindQpType("ud"))); }

}  // namespace
}  // namespace rdmabench
