#include "transport/cuda_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "transport/error.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Gpu At(int index, const std::string& address) {
  return {.index = index,
          .name = "H100",
          .pcie_address = address,
          .exports_dmabuf = true,
          .has_gpudirect = true};
}

// Two sockets. mlx5_0 is below a switch of the first one with GPU 1 and, further up, GPU 0; GPU 2
// has a root complex of its own there. GPU 3 is on the second socket.
class CudaChoice : public ::testing::Test {
 protected:
  CudaChoice() {
    fs::remove_all(root_);
    Function("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0", "0000:18:00.0", 0);
    Function("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0", "0000:1a:00.0", 0);
    Function("pci0000:15/0000:15:03.0", "0000:1c:00.0", 0);
    Function("pci0000:15/0000:15:05.0", "0000:1d:00.0", -1);
    Function("pci0000:37/0000:37:01.0", "0000:38:00.0", 0);
    Function("pci0000:97/0000:97:01.0", "0000:98:00.0", 1);
    Function("pci0000:b7/0000:b7:01.0", "0000:b8:00.0", -1);
  }
  ~CudaChoice() override { fs::remove_all(root_); }

  GpuChoice Choose(const std::vector<Gpu>& gpus, std::string_view wanted = {},
                   std::optional<std::string> device = "0000:18:00.0") const {
    return ChooseGpu(root_.string(), gpus, wanted, {.name = "mlx5_0", .pcie_address = device});
  }

  const Gpu upper_ = At(0, "0000:1c:00.0");
  const Gpu beside_ = At(1, "0000:1a:00.0");
  const Gpu same_socket_ = At(2, "0000:38:00.0");
  const Gpu other_socket_ = At(3, "0000:98:00.0");
  const Gpu nowhere_ = At(4, "0000:b8:00.0");

 private:
  void Function(const fs::path& bridges, const std::string& address, int node) {
    const fs::path function = root_ / "devices" / bridges / address;
    fs::create_directories(function);
    std::ofstream(function / "numa_node") << node << "\n";
    fs::create_directories(root_ / "bus/pci/devices");
    fs::create_symlink(function, root_ / "bus/pci/devices" / address);
  }

  const fs::path root_ = fs::path(::testing::TempDir()) /
                         ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(CudaChoice, PrefersTheGpuBelowTheSameSwitch) {
  EXPECT_EQ(Choose({upper_, beside_, same_socket_}).gpu.index, 1);
}

TEST_F(CudaChoice, PrefersTheSameRootComplexToTheSameNode) {
  EXPECT_EQ(Choose({other_socket_, same_socket_, upper_}).gpu.index, 0);
}

TEST_F(CudaChoice, PrefersTheSameRootComplexWhereTheNodeIsNotKnown) {
  EXPECT_EQ(Choose({same_socket_, At(5, "0000:1d:00.0")}).gpu.index, 5);
}

TEST_F(CudaChoice, PrefersTheSameNodeToAnother) {
  EXPECT_EQ(Choose({other_socket_, same_socket_}).gpu.index, 2);
}

TEST_F(CudaChoice, TakesTheFirstOfEquals) {
  EXPECT_EQ(Choose({other_socket_, nowhere_}).gpu.index, 3);
}

TEST_F(CudaChoice, NamesTheBridgeThatBothAreBelow) {
  EXPECT_EQ(Choose({upper_, beside_}).why, "the nearest to mlx5_0: both are below 0000:16:00.0");
}

TEST_F(CudaChoice, NamesTheNodeThatBothAreOn) {
  EXPECT_EQ(Choose({same_socket_, other_socket_}).why,
            "the nearest to mlx5_0: both are on NUMA node 0");
}

TEST_F(CudaChoice, DoesNotTakeAnUnknownNodeForTheSame) {
  EXPECT_EQ(Choose({At(0, "0000:ff:00.0"), nowhere_}, {}, "0000:b8:01.0").why,
            "the first: none is known to be near mlx5_0");
}

TEST_F(CudaChoice, SaysThatItDoesNotKnowWhereTheDeviceIs) {
  EXPECT_EQ(Choose({upper_, beside_}, {}, std::nullopt).why,
            "the first: none is known to be near mlx5_0");
}

TEST_F(CudaChoice, SaysWhenThereIsOnlyOne) {
  EXPECT_EQ(Choose({other_socket_}).why, "the only one");
}

TEST_F(CudaChoice, ObeysANumber) {
  EXPECT_EQ(Choose({upper_, beside_}, "0").gpu.index, 0);
  EXPECT_EQ(Choose({upper_, beside_}, "0").why, "as asked for");
}

TEST_F(CudaChoice, ObeysAPcieAddressInEitherCase) {
  EXPECT_EQ(Choose({upper_, beside_}, "0000:1C:00.0").gpu.index, 0);
}

TEST_F(CudaChoice, ObeysAPcieAddressWithoutDomain) {
  EXPECT_EQ(Choose({beside_, upper_}, "1c:00.0").gpu.index, 0);
}

TEST_F(CudaChoice, NamesWhatThereIsWhenAskedForAnother) {
  EXPECT_THAT(
      [&] {
        Choose({upper_, beside_}, "7");
      },
      ThrowsMessage<Error>(AllOf(HasSubstr("there is no GPU 7; there is "),
                                 HasSubstr("GPU 0 (H100, 0000:1c:00.0), GPU 1 (H100"))));
}

TEST_F(CudaChoice, TakesNoPartOfANumberForIt) {
  EXPECT_THROW(Choose({upper_, beside_}, "0x"), Error);
  EXPECT_THROW(Choose({upper_, beside_}, "00"), Error);
}

// Before there is a driver to ask.
TEST(GpuName, IsANumberOrAPcieAddress) {
  for (const char* name : {"0", "15", "3b:00.0", "0000:3B:00.0", "10000:01:00.0"}) {
    EXPECT_NO_THROW(CheckGpuName(name)) << name;
  }
  for (const char* name :
       {"x", "-1", "0x", "1,2", "3b:00", "3b:00.00", "3b-00.0", ":3b:00.0", "0000:3g:00.0"}) {
    EXPECT_THAT([name] { CheckGpuName(name); },
                ThrowsMessage<Error>(HasSubstr("neither a GPU's number nor its PCIe address")));
  }
}

}  // namespace
}  // namespace rdmabench
