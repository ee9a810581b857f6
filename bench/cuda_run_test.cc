// Whole runs in the memory of a double of libcuda.so.1, over the double of the verbs: no GPU and no
// RDMA device is involved.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bench/run_fixture.h"
#include "transport/fake_cuda.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::uint64_t kMessages = 500;

class CudaRun : public RunFixture, public ::testing::WithParamInterface<const char*> {
 protected:
  CudaRun() { cuda_ = fake::FakeCuda{}; }
  ~CudaRun() override {
    EXPECT_THAT(cuda_.blocks, IsEmpty());
    EXPECT_THAT(cuda_.misuses, IsEmpty());
    EXPECT_EQ(cuda_.contexts, 0);
  }
  static Plan PlanInGpu(const std::string& test) {
    Plan plan = PlanOf(test, {}, kMessages);
    plan.tests[0].memory.kind = "cuda";
    return plan;
  }

  // From now on what asks for libcuda.so.1 gets it.
  fake::FakeCuda& cuda_ = fake::LoadFakeCuda();
};

INSTANTIATE_TEST_SUITE_P(Tests, CudaRun,
                         ::testing::Values("write_bw", "write_imm_bw", "write_imm_lat", "read_bw",
                                           "read_lat", "send_bw", "send_lat", "fetch_add_bw",
                                           "cmp_swap_lat"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(CudaRun, MovesItsMessages) {
  const Ending ending = Run(PlanInGpu(GetParam()));
  ASSERT_FALSE(ending.client) << ending.client->what();
  ASSERT_FALSE(ending.server) << ending.server->what();
  ASSERT_EQ(ending.report.results.size(), 1U);
  EXPECT_GE(ending.report.results[0].messages, kMessages);
}

TEST_F(CudaRun, SaysHowItWasReachedOfEachDevice) {
  fake::Reset({{.name = "fake0"}, {.name = "fake1", .gids = {{"fe80::2"}, {"::ffff:127.0.0.2"}}}});
  client_.devices = {"fake0", "fake1"};
  cuda_.gpus = {{.pcie_address = "FFFF:01:00.0"}, {.pcie_address = "FFFF:02:00.0"}};
  const Ending ending = Run(PlanInGpu("write_bw"));
  ASSERT_FALSE(ending.client) << ending.client->what();
  ASSERT_EQ(ending.report.results.size(), 1U);
  EXPECT_EQ(ending.report.results[0].memory.client.value_or(report::Memory{}).registration,
            "as a dma-buf; GPU 0 (Fake GPU, ffff:01:00.0), the first: none is known to be near "
            "fake0, and as a dma-buf; GPU 0 (Fake GPU, ffff:01:00.0), the first: none is known to "
            "be near fake1");
}

TEST_F(CudaRun, EndsInCudasWordsWhenTheGpuHasNoMemoryLeft) {
  cuda_.failing_call = "cuMemAlloc_v2";
  cuda_.failing_result = 2;
  const Ending ending = Run(PlanInGpu("write_bw"));
  ASSERT_TRUE(ending.client);
  EXPECT_THAT(ending.client->what(), HasSubstr("out of memory (CUDA error 2)"));
}

}  // namespace
}  // namespace rdmabench
