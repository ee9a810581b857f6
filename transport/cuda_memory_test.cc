// The double of libcuda.so.1 over the double of the verbs: no GPU and no RDMA device is involved.
#include "transport/cuda_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include "transport/cuda_allocation.h"
#include "transport/device.h"
#include "transport/error.h"
#include "transport/fake_cuda.h"
#include "transport/fake_verbs.h"
#include "transport/handle.h"
#include "transport/memory.h"

namespace rdmabench {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Optional;
using ::testing::StartsWith;
using ::testing::StrEq;
using ::testing::ThrowsMessage;

constexpr std::size_t kBytes = 100000;
constexpr const char* kExport = "cuMemGetHandleForAddressRange";
constexpr cuda::Result kNotSupported = 801;

class CudaMemory : public ::testing::Test {
 protected:
  CudaMemory() {
    fs::remove_all(sysfs_);
    fs::create_directories(sysfs_);
    for (fake::FakeCuda* state : {&cuda_, &old_cuda_}) *state = fake::FakeCuda{};
  }
  ~CudaMemory() override {
    pd_.reset();
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
    for (fake::FakeCuda* state : {&cuda_, &old_cuda_}) {
      EXPECT_THAT(state->misuses, IsEmpty());
      EXPECT_THAT(state->blocks, IsEmpty());
      EXPECT_EQ(state->contexts, 0);
      *state = fake::FakeCuda{};
    }
    fs::remove_all(sysfs_);
  }

  CudaSystem System(const std::string& library = fake::kFakeCudaLibrary) const {
    return {.library = library, .sysfs = sysfs_.string()};
  }
  Buffer Allocate(const std::string& argument = {}) const {
    return AllocateCuda(System(), pd_.get(),
                        {.bytes = kBytes, .numa_node = {}, .argument = argument});
  }
  Registration Register(const Buffer& buffer) const {
    return RegisterCuda(pd_.get(), buffer, IBV_ACCESS_LOCAL_WRITE);
  }
  // How it was done.
  std::string Register() const {
    const Buffer buffer = Allocate();
    return Register(buffer).how;
  }
  std::optional<std::string> WhyNot() const { return WhyNoCuda(System(), device_->context()); }
  void LoadModule(const std::string& name) const {
    fs::create_directories(sysfs_ / "module" / name);
  }

  fake::FakeCuda& cuda_ = fake::LoadFakeCuda();
  fake::FakeCuda& old_cuda_ = fake::LoadFakeCuda(fake::kOldFakeCudaLibrary);
  const fs::path sysfs_ = fs::path(::testing::TempDir()) /
                          ::testing::UnitTest::GetInstance()->current_test_info()->name();

 private:
  static Device Open() {
    fake::Reset();
    return Device::Open("fake0");
  }

 protected:
  std::optional<Device> device_ = Open();
  Pd pd_{ibv_alloc_pd(device_->context())};
};

// Which way is taken.

TEST_F(CudaMemory, IsRegisteredAsADmabufFirst) {
  LoadModule("nvidia_peermem");
  EXPECT_EQ(Register(), "as a dma-buf; GPU 0 (Fake GPU, 0000:3b:00.0), the only one");
}

TEST_F(CudaMemory, IsAtItsOwnAddressInADmabuf) {
  const Buffer buffer = Allocate();
  EXPECT_EQ(Register(buffer).iova, reinterpret_cast<std::uintptr_t>(buffer.data()));
}

TEST_F(CudaMemory, TakesPeermemWhereTheKernelModuleExportsNothing) {
  LoadModule("nvidia_peermem");
  cuda_.gpus[0].exports_dmabuf = false;
  EXPECT_THAT(Register(),
              AllOf(StartsWith("by peermem; no dma-buf: NVIDIA's kernel module exports none"),
                    EndsWith("; GPU 0 (Fake GPU, 0000:3b:00.0), the only one")));
}

TEST_F(CudaMemory, KnowsTheModulesFormerName) {
  LoadModule("nv_peer_mem");
  cuda_.gpus[0].exports_dmabuf = false;
  EXPECT_THAT(Register(), StartsWith("by peermem; "));
}

TEST_F(CudaMemory, TakesPeermemWhereTheDriverKnowsNoDmabuf) {
  LoadModule("nvidia_peermem");
  cuda_.knows_attributes = false;
  cuda_.version = 11040;
  EXPECT_THAT(Register(), StartsWith("by peermem; no dma-buf: CUDA 11.4 has none"));
}

TEST_F(CudaMemory, TakesPeermemWhereTheLibraryHasNoSuchFunction) {
  LoadModule("nvidia_peermem");
  const Buffer buffer = AllocateCuda(System(fake::kOldFakeCudaLibrary), pd_.get(),
                                     {.bytes = kBytes, .numa_node = {}});
  EXPECT_THAT(Register(buffer).how, StartsWith("by peermem; no dma-buf: CUDA 12.4 has none"));
}

TEST_F(CudaMemory, TakesPeermemWhereTheExportFails) {
  LoadModule("nvidia_peermem");
  cuda_.failing_call = kExport;
  cuda_.failing_result = kNotSupported;
  EXPECT_THAT(Register(), StartsWith("by peermem; no dma-buf: CUDA exports none: operation not "
                                     "supported (CUDA error 801)"));
}

TEST_F(CudaMemory, TakesPeermemWhereTheDeviceTakesNoDmabuf) {
  LoadModule("nvidia_peermem");
  fake::Inject({.failing_call = "ibv_reg_dmabuf_mr", .failing_errno = EOPNOTSUPP});
  EXPECT_THAT(Register(), StartsWith("by peermem; no dma-buf: the device's driver registers no"));
}

TEST_F(CudaMemory, TakesPeermemWhereTheDeviceDoesNotTakeThisDmabuf) {
  LoadModule("nvidia_peermem");
  // The first call only asks whether there is such a thing.
  fake::Inject({.failing_call = "ibv_reg_dmabuf_mr", .failing_errno = EINVAL, .failing_after = 1});
  EXPECT_THAT(Register(), StartsWith("by peermem; no dma-buf: the RDMA device does not take it: "
                                     "Invalid argument"));
}

TEST_F(CudaMemory, TakesPeermemWhereTheDeviceCannotBeAskedForDmabufs) {
  LoadModule("nvidia_peermem");
  fake::Inject({.failing_call = "ibv_alloc_pd", .failing_errno = ENOMEM});
  EXPECT_THAT(Register(),
              StartsWith("by peermem; no dma-buf: cannot allocate a protection domain"));
}

TEST_F(CudaMemory, NamesBothReasonsWhenPeermemIsNotLoaded) {
  cuda_.gpus[0].exports_dmabuf = false;
  EXPECT_THAT([&] { Register(); },
              ThrowsMessage<Error>(AllOf(
                  HasSubstr("cannot register 100000 bytes of GPU 0 (Fake GPU, 0000:3b:00.0) with "
                            "fake0: no dma-buf: NVIDIA's kernel module exports none"),
                  HasSubstr("; no peermem: the kernel module nvidia_peermem is not loaded"))));
}

TEST_F(CudaMemory, TellsTheRemedyOfEachWay) {
  cuda_.gpus[0].exports_dmabuf = false;
  try {
    Register();
    FAIL() << "nothing can reach it";
  } catch (const Error& error) {
    EXPECT_THAT(error.remedy(),
                AllOf(HasSubstr("open kernel modules"), HasSubstr("modprobe nvidia_peermem")));
    EXPECT_EQ(error.blame(), Blame::kEnvironment);
  }
}

TEST_F(CudaMemory, NamesBothReasonsWhenTheAddressIsNotTaken) {
  LoadModule("nvidia_peermem");
  cuda_.gpus[0].exports_dmabuf = false;
  fake::Inject({.failing_call = "ibv_reg_mr", .failing_errno = EFAULT});
  EXPECT_THAT([&] { Register(); },
              ThrowsMessage<Error>(AllOf(HasSubstr("no dma-buf: "),
                                         HasSubstr("no peermem: the RDMA device does not take the "
                                                   "GPU's address: Bad address"))));
}

TEST_F(CudaMemory, DoesNotTryPeermemOnAGpuWithoutGpuDirect) {
  LoadModule("nvidia_peermem");
  cuda_.gpus[0] = {.exports_dmabuf = false, .has_gpudirect = false};
  EXPECT_THAT([&] { Register(); }, ThrowsMessage<Error>(HasSubstr("no GPUDirect RDMA")));
}

TEST_F(CudaMemory, TriesPeermemWhereTheDriverCannotSayWhetherTheGpuCan) {
  LoadModule("nvidia_peermem");
  cuda_.knows_attributes = false;
  EXPECT_THAT(Register(), StartsWith("by peermem; "));
}

// What there has to be.

TEST_F(CudaMemory, SaysThatThereIsNoLibrary) {
  const auto words = HasSubstr(
      "libno-cuda.so.1, the library of NVIDIA's driver, cannot be loaded: cannot open shared "
      "object file");
  EXPECT_THAT(WhyNoCuda(System("libno-cuda.so.1"), device_->context()), Optional(words));
  EXPECT_THAT(
      [&] {
        AllocateCuda(System("libno-cuda.so.1"), pd_.get(), {.bytes = kBytes, .numa_node = {}});
      },
      ThrowsMessage<Error>(words));
}

TEST_F(CudaMemory, NamesTheFunctionThatALibraryLacks) {
  EXPECT_THAT(WhyNoCuda(System("libm.so.6"), device_->context()),
              Optional(StrEq("libm.so.6 has no cuInit")));
}

TEST_F(CudaMemory, IsThereWhenADmabufCanBe) { EXPECT_EQ(WhyNot(), std::nullopt); }

TEST_F(CudaMemory, IsThereWhenPeermemIs) {
  LoadModule("nvidia_peermem");
  cuda_.gpus[0].exports_dmabuf = false;
  EXPECT_EQ(WhyNot(), std::nullopt);
}

TEST_F(CudaMemory, IsNotThereWhenNothingReachesTheGpu) {
  cuda_.gpus[0].exports_dmabuf = false;
  EXPECT_THAT(WhyNot(), Optional(AllOf(StartsWith("GPU 0 (Fake GPU, 0000:3b:00.0) cannot be "
                                                  "reached: no dma-buf: "),
                                       HasSubstr("; no peermem: "))));
}

TEST_F(CudaMemory, SaysThatThereIsNoGpu) {
  cuda_.gpus.clear();
  EXPECT_THAT(WhyNot(), Optional(StrEq("CUDA has no GPU here")));
}

TEST_F(CudaMemory, PassesOnWhatCudaSaysOfItsStart) {
  cuda_.failing_call = "cuInit";
  cuda_.failing_result = 100;
  EXPECT_THAT(WhyNot(),
              Optional(StrEq(
                  "cannot initialize CUDA in NVIDIA's driver: no CUDA-capable device is detected "
                  "(CUDA error 100)")));
}

TEST_F(CudaMemory, PassesOnTheNumberOfAnErrorWithoutWords) {
  cuda_.failing_call = "cuInit";
  cuda_.failing_result = 4242;
  EXPECT_THAT(WhyNot(), Optional(HasSubstr("unknown error (CUDA error 4242)")));
}

TEST_F(CudaMemory, SaysHowMuchCouldNotBeAllocated) {
  cuda_.failing_call = "cuMemAlloc_v2";
  cuda_.failing_result = 2;
  EXPECT_THAT([&] { Allocate(); },
              ThrowsMessage<Error>(HasSubstr("bytes on GPU 0 (Fake GPU, 0000:3b:00.0): out of "
                                             "memory (CUDA error 2)")));
}

// A call that fails leaves nothing behind, which the fixture looks at.
class EachCudaCall : public CudaMemory, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Calls, EachCudaCall,
                         ::testing::Values("cuInit", "cuDeviceGetCount", "cuDeviceGet",
                                           "cuDeviceGetName", "cuDeviceGetPCIBusId",
                                           "cuDevicePrimaryCtxRetain", "cuCtxSetCurrent",
                                           "cuMemAlloc_v2", "cuPointerSetAttribute"),
                         [](const auto& test) { return std::string(test.param); });

TEST_P(EachCudaCall, EndsAllocationInCudasWords) {
  cuda_.failing_call = GetParam();
  cuda_.failing_result = kNotSupported;
  EXPECT_THAT([&] { Allocate(); },
              ThrowsMessage<Error>(HasSubstr(": operation not supported (CUDA error 801)")));
}

// Which GPU.

TEST_F(CudaMemory, IsOnTheGpuThatIsAskedFor) {
  cuda_.gpus = {{.pcie_address = "0000:3B:00.0"}, {.pcie_address = "0000:AF:00.0"}};
  const Buffer buffer = Allocate("1");
  EXPECT_THAT(Register(buffer).how, EndsWith("GPU 1 (Fake GPU, 0000:af:00.0), as asked for"));
}

TEST_F(CudaMemory, IsOnTheGpuNearestToTheDevice) {
  cuda_.gpus = {{.pcie_address = "0000:3B:00.0"}, {.pcie_address = "0000:AF:00.0"}};
  for (const char* place : {"pci0000:3a/0000:3b:00.0", "pci0000:ae/0000:ae:00.0/0000:af:00.0",
                            "pci0000:ae/0000:ae:01.0/0000:b0:00.0"}) {
    const fs::path function = sysfs_ / "devices" / place;
    fs::create_directories(function);
    fs::create_directories(sysfs_ / "bus/pci/devices");
    fs::create_symlink(function, sysfs_ / "bus/pci/devices" / function.filename());
  }
  fs::create_directories(sysfs_ / "class/infiniband/fake0");
  fs::create_symlink(sysfs_ / "bus/pci/devices/0000:b0:00.0",
                     sysfs_ / "class/infiniband/fake0/device");
  EXPECT_THAT(Register(), EndsWith("GPU 1 (Fake GPU, 0000:af:00.0), the nearest to fake0: both "
                                   "are below pci0000:ae"));
}

// What it is like, and how it ends.

TEST_F(CudaMemory, HasTheSizeAskedForFromAPageOfTheGpuOn) {
  const Buffer buffer = Allocate();
  EXPECT_EQ(buffer.size(), kBytes);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % kGpuPageBytes, 0U);
}

TEST_F(CudaMemory, IsSynchronizedWithCudasOwnOperations) {
  const Buffer buffer = Allocate();
  EXPECT_EQ(cuda_.synchronized.size(), cuda_.blocks.size());
}

TEST_F(CudaMemory, IsFilledByTheGpuBeforeTheCallReturns) {
  const Buffer buffer = Allocate();
  FillCuda(buffer, std::byte{0x5a});
  EXPECT_EQ(std::count(buffer.data(), buffer.data() + buffer.size(), std::byte{0x5a}),
            static_cast<std::ptrdiff_t>(kBytes));
  EXPECT_EQ(cuda_.filled, 1U);
}

TEST_F(CudaMemory, SaysWhenTheGpuCannotFill) {
  const Buffer buffer = Allocate();
  cuda_.failing_call = "cuMemsetD8_v2";
  EXPECT_THAT([&] { FillCuda(buffer, std::byte{0}); },
              ThrowsMessage<Error>(HasSubstr("cannot fill memory of GPU 0 (Fake GPU")));
}

// A context is current in one thread.
TEST_F(CudaMemory, IsUsedAndReleasedByAnotherThread) {
  std::optional<Buffer> buffer(Allocate());
  std::thread([&] {
    FillCuda(*buffer, std::byte{1});
    const Registration registration = Register(*buffer);
    EXPECT_THAT(registration.how, StartsWith("as a dma-buf; "));
  }).join();
  std::thread([&] { buffer.reset(); }).join();
  EXPECT_THAT(cuda_.blocks, IsEmpty());
}

TEST_F(CudaMemory, KeepsNoDescriptorOfTheDmabuf) {
  const auto descriptors = [] {
    return std::distance(fs::directory_iterator("/proc/self/fd"), fs::directory_iterator());
  };
  const Buffer buffer = Allocate();
  const auto before = descriptors();
  const Registration registration = Register(buffer);
  EXPECT_EQ(descriptors(), before);
}

// The library is loaded under the name that the real one has, so that the row itself finds it.
TEST_F(CudaMemory, IsARowWhoseRegionGoesBeforeItsMemory) {
  std::optional<std::size_t> objects;
  cuda_.on_free = [&] { objects = fake::LiveObjects(); };
  const std::size_t before = fake::LiveObjects();
  {
    const MemoryRegion region(pd_.get(), FindMemoryKind("cuda"), {.bytes = kBytes, .numa_node = {}},
                              IBV_ACCESS_REMOTE_WRITE);
    EXPECT_THAT(region.how(), StartsWith("as a dma-buf; "));
    EXPECT_EQ(region.addr(), reinterpret_cast<std::uintptr_t>(region.data()));
    EXPECT_EQ(fake::LiveObjects(), before + 1);
  }
  EXPECT_EQ(objects, before);
}

TEST_F(CudaMemory, IsNotForTheCpu) {
  EXPECT_FALSE(kCudaMemory.cpu_access);
  EXPECT_FALSE(kCudaMemory.inline_ok);
}

}  // namespace
}  // namespace rdmabench
