#include "transport/cpu_time.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rdmabench {
namespace {

double Sum(const CpuTime& time) { return time.user_seconds + time.system_seconds; }

TEST(CpuTime, OfAThreadGrowsWhileItWorksAndIsPartOfTheProcesss) {
  const CpuTime thread = ThreadCpuTime();
  const CpuTime process = ProcessCpuTime();
  constexpr double kWork = 0.02;
  while (Sum(ThreadCpuTime() - thread) < kWork) {
  }
  EXPECT_GE(Sum(ProcessCpuTime() - process), kWork / 2);
}

class SoftirqTest : public testing::Test {
 protected:
  SoftirqTest() : proc_(testing::TempDir() + "proc_stat") {
    std::filesystem::create_directories(proc_);
  }
  ~SoftirqTest() override { std::filesystem::remove_all(proc_); }

  std::optional<double> Read(const std::string& stat) const {
    std::ofstream(proc_ + "/stat") << stat;
    return HostSoftirqSeconds(proc_);
  }

 private:
  std::string proc_;
};

TEST_F(SoftirqTest, IsTheSeventhOfAllProcessorsFigures) {
  const double ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  EXPECT_EQ(Read("cpu  10132153 290696 3084719 46828483 16683 0 25195 0 175628 0\n"
                 "cpu0 1393280 32966 572056 13343292 6130 0 17875 0 23933 0\n"),
            25195 / ticks);
}

TEST_F(SoftirqTest, IsAbsentWhereItIsNotTold) {
  EXPECT_FALSE(Read("cpu  1 2 3\n"));
  EXPECT_FALSE(Read("cpu0 1 2 3 4 5 6 7\n"));
  EXPECT_FALSE(HostSoftirqSeconds("/nonexistent"));
}

TEST_F(SoftirqTest, IsToldByThisKernel) { EXPECT_TRUE(HostSoftirqSeconds("/proc")); }

}  // namespace
}  // namespace rdmabench
