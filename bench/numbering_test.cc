#include "bench/numbering.h"

#include <gtest/gtest.h>

#include <string>

namespace rdmabench {
namespace {

Numbering Of(const TestPlan& plan, std::uint64_t message_bytes) {
  constexpr std::uint32_t kMostDepth = 16384;
  return NumberingOf(plan, ShapeFor(plan, message_bytes, kMostDepth),
                     ReceiveShapeFor(plan, message_bytes, kMostDepth));
}

TestPlan PlanOf(std::string test, std::string qp_type) {
  TestPlan plan;
  plan.test = std::move(test);
  plan.queue.qp_type = std::move(qp_type);
  return plan;
}

struct Row {
  const char* test;
  const char* qp_type;
  Numbering numbering;
};
class NumberingRow : public testing::TestWithParam<Row> {};

TEST_P(NumberingRow, FollowsFromTheTestAndTheType) {
  EXPECT_EQ(Of(PlanOf(GetParam().test, GetParam().qp_type), 64), GetParam().numbering);
}

INSTANTIATE_TEST_SUITE_P(Rows, NumberingRow,
                         testing::Values(Row{"send_bw", "uc", Numbering::kPayload},
                                         Row{"send_bw", "ud", Numbering::kPayload},
                                         Row{"send_imm_bw", "uc", Numbering::kImmediate},
                                         Row{"send_imm_bw", "ud", Numbering::kImmediate},
                                         Row{"write_imm_bw", "uc", Numbering::kImmediate},
                                         Row{"write_bw", "uc", Numbering::kNone},
                                         Row{"send_lat", "ud", Numbering::kNone},
                                         Row{"send_bw", "rc", Numbering::kNone},
                                         Row{"write_imm_bw", "rc", Numbering::kNone}),
                         [](const auto& row) {
                           return std::string(row.param.test) + "_" + row.param.qp_type;
                         });

TEST(Numbering, NeedsEightBytesWhereThereIsNoImmediate) {
  EXPECT_EQ(Of(PlanOf("send_bw", "ud"), 7), Numbering::kNone);
  EXPECT_EQ(Of(PlanOf("send_bw", "ud"), 8), Numbering::kPayload);
  EXPECT_EQ(Of(PlanOf("send_imm_bw", "ud"), 1), Numbering::kImmediate);
}

TEST(Numbering, OfThePayloadNeedsAQueueWhoseSlotsAreKnown) {
  TestPlan plan = PlanOf("send_bw", "uc");
  plan.queue.use_srq = true;
  EXPECT_EQ(Of(plan, 64), Numbering::kNone);
  plan.test = "send_imm_bw";
  EXPECT_EQ(Of(plan, 64), Numbering::kImmediate);
}

// Within kMostSlotBytes of a worker.
TEST(Numbering, OfThePayloadNeedsASlotForEachReceiveRequest) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 16;
  TestPlan plan = PlanOf("send_bw", "uc");
  plan.queue.recv_depth = kMostSlotBytes / kBytes;
  EXPECT_EQ(Of(plan, kBytes), Numbering::kPayload);
  plan.queue.recv_depth = kMostSlotBytes / kBytes + 4;
  EXPECT_EQ(Of(plan, kBytes), Numbering::kNone);
}

TEST(Numbering, OfThePayloadNeedsASlotForEachSendRequest) {
  constexpr std::uint64_t kBytes = std::uint64_t{1} << 16;
  TestPlan plan = PlanOf("send_bw", "uc");
  plan.queue.recv_depth = 16;
  plan.queue.send_depth = kMostSlotBytes / kBytes;
  EXPECT_EQ(Of(plan, kBytes), Numbering::kPayload);
  plan.queue.queue_pairs = 2;
  EXPECT_EQ(Of(plan, kBytes), Numbering::kNone);
  plan.queue.threads = 2;
  EXPECT_EQ(Of(plan, kBytes), Numbering::kPayload) << "a worker's slots are its own";
}

}  // namespace
}  // namespace rdmabench
