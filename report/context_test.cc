#include "report/context.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

namespace rdmabench::report {
namespace {

using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Optional;
using ::testing::StartsWith;

class DescribeHostTest : public ::testing::Test {
 protected:
  DescribeHostTest() : root_(std::filesystem::path(::testing::TempDir()) / "context_root") {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~DescribeHostTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  std::filesystem::path root_;
};

TEST_F(DescribeHostTest, NamesTheHostAndItsKernel) {
  const Host host = DescribeHost();
  EXPECT_THAT(host.name, Not(IsEmpty()));
  EXPECT_THAT(host.kernel, Optional(StartsWith("Linux ")));
}

TEST_F(DescribeHostTest, ReadsTheCpuModel) {
  Write("proc/cpuinfo",
        "processor\t: 0\nvendor_id\t: GenuineIntel\n"
        "model name\t: Intel(R) Xeon(R) Platinum 8480+ \n\nprocessor\t: 1\n");
  EXPECT_THAT(DescribeHost(root_).cpu, Optional(std::string("Intel(R) Xeon(R) Platinum 8480+")));
}

TEST_F(DescribeHostTest, LeavesTheModelAwayWhereTheKernelNamesNone) {
  Write("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n");
  EXPECT_EQ(DescribeHost(root_).cpu, std::nullopt);
}

TEST_F(DescribeHostTest, ReadsTheGovernorThatAllCoresShare) {
  Write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "performance\n");
  Write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
  EXPECT_THAT(DescribeHost(root_).governor, Optional(std::string("performance")));
}

TEST_F(DescribeHostTest, NamesAllGovernorsWhenTheyDiffer) {
  Write("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
  Write("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "performance\n");
  EXPECT_THAT(DescribeHost(root_).governor, Optional(std::string("performance, powersave")));
}

TEST_F(DescribeHostTest, KnowsTheKernelsPresentRun) {
  Write("proc/sys/kernel/random/boot_id", "0d5bf2b5-7a0c-4e0a-9c4b-5f1a4a0e3c11\n");
  EXPECT_THAT(DescribeHost(root_).boot_id,
              Optional(std::string("0d5bf2b5-7a0c-4e0a-9c4b-5f1a4a0e3c11")));
}

TEST_F(DescribeHostTest, KnowsNeitherWithoutProcAndSys) {
  const Host host = DescribeHost(root_);
  EXPECT_EQ(host.boot_id, std::nullopt);
  EXPECT_EQ(host.cpu, std::nullopt);
  EXPECT_EQ(host.governor, std::nullopt);
}

}  // namespace
}  // namespace rdmabench::report
