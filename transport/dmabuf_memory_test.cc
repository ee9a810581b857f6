// Over doubles of the kernel's devices: files in memory stand in for dma-bufs.
#include "transport/dmabuf_memory.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "transport/device.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/handle.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

int OpenNull(const char* /*path*/) { return open("/dev/null", O_RDWR | O_CLOEXEC); }

int OpenNothing(const char* /*path*/) {
  errno = ENOENT;
  return -1;
}

int Refuse(int /*fd*/, unsigned long /*request*/, void* /*argument*/) {
  errno = EINVAL;
  return -1;
}

// As the kernel: the file has to be sealed, and whole pages of it are wrapped.
int Wrap(int /*fd*/, unsigned long request, void* argument) {
  const auto& create = *static_cast<udmabuf_create*>(argument);
  const int memory = static_cast<int>(create.memfd);
  if (request != UDMABUF_CREATE || (fcntl(memory, F_GET_SEALS) & F_SEAL_SHRINK) == 0 ||
      create.size % 4096 != 0 || create.offset != 0) {
    errno = EINVAL;
    return -1;
  }
  return fcntl(memory, F_DUPFD_CLOEXEC, 0);
}

int TakeFromHeap(int /*fd*/, unsigned long request, void* argument) {
  auto& allocation = *static_cast<dma_heap_allocation_data*>(argument);
  const int memory = memfd_create("heap", MFD_CLOEXEC);
  if (request != DMA_HEAP_IOCTL_ALLOC || ftruncate(memory, static_cast<off_t>(allocation.len)) != 0)
    return -1;
  allocation.fd = static_cast<__u32>(memory);
  return 0;
}

struct Way {
  const char* name;
  Buffer (*allocate)(const DmabufCalls&, const BufferRequest&);
  DmabufCalls calls;
};

class Dmabuf : public ::testing::TestWithParam<Way> {
 protected:
  ~Dmabuf() override {
    pd_.reset();
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
  }
  static Buffer Allocate(std::size_t bytes) {
    return GetParam().allocate(GetParam().calls, {.bytes = bytes, .numa_node = {}});
  }
  static DmabufCalls With(int (*open)(const char*), int (*control)(int, unsigned long, void*)) {
    return {.open = open, .control = control};
  }

 private:
  static Device Open() {
    fake::Reset();
    return Device::Open("fake0");
  }

 protected:
  std::optional<Device> device_ = Open();
  Pd pd_{ibv_alloc_pd(device_->context())};
};
INSTANTIATE_TEST_SUITE_P(
    Ways, Dmabuf,
    ::testing::Values(Way{"udmabuf", AllocateUdmabuf, {OpenNull, Wrap}},
                      Way{"dma_heap", AllocateDmaHeap, {OpenNull, TakeFromHeap}}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_P(Dmabuf, IsTheMemoryThatTheProcessorSees) {
  const Buffer buffer = Allocate(5000);
  std::memset(buffer.data(), 'y', buffer.size());
  char byte = 0;
  ASSERT_EQ(pread(buffer.dmabuf_fd(), &byte, 1, 4999), 1);
  EXPECT_EQ(byte, 'y');
}

TEST_P(Dmabuf, EndsWithItsBuffer) {
  int fd = -1;
  {
    const Buffer buffer = Allocate(5000);
    fd = buffer.dmabuf_fd();
    ASSERT_NE(fcntl(fd, F_GETFD), -1);
  }
  EXPECT_EQ(fcntl(fd, F_GETFD), -1);
}

TEST_P(Dmabuf, IsRegisteredAsOneAtTheProcessorsAddress) {
  const Buffer buffer = Allocate(5000);
  const Registration registration = RegisterDmabuf(pd_.get(), buffer, IBV_ACCESS_LOCAL_WRITE);
  EXPECT_EQ(registration.iova, reinterpret_cast<std::uintptr_t>(buffer.data()));
  EXPECT_EQ(registration.how, "as a dma-buf");
}

TEST_P(Dmabuf, SaysThatTheDriverRegistersNone) {
  fake::Inject({.failing_call = "ibv_reg_dmabuf_mr", .failing_errno = EOPNOTSUPP});
  const Buffer buffer = Allocate(5000);
  EXPECT_THAT([&] { RegisterDmabuf(pd_.get(), buffer, IBV_ACCESS_LOCAL_WRITE); },
              Throws<Error>(AllOf(Property(&Error::what, HasSubstr("a dma-buf of 5000 bytes")),
                                  Property(&Error::remedy, HasSubstr("registers no dma-buf")))));
  EXPECT_THAT(WhyNoDmabuf(device_->context()).value_or(""), HasSubstr("registers no dma-buf"));
}

TEST_P(Dmabuf, IsTakenForRegistrableWhereTheDriverOnlyMissesTheDescriptor) {
  EXPECT_EQ(WhyNoDmabuf(device_->context()), std::nullopt);
}

TEST_P(Dmabuf, IsNotThereWhereTheDeviceCannotBeAsked) {
  fake::Inject({.failing_call = "ibv_alloc_pd", .failing_errno = ENOMEM});
  EXPECT_THAT(WhyNoDmabuf(device_->context()).value_or(""),
              HasSubstr("cannot allocate a protection domain: Cannot allocate memory"));
}

TEST_P(Dmabuf, SaysWhatTheKernelLacks) {
  EXPECT_THAT(
      [] {
        GetParam().allocate(With(OpenNothing, GetParam().calls.control),
                            {.bytes = 4096, .numa_node = {}});
      },
      Throws<Error>(AllOf(Property(&Error::what, HasSubstr("cannot open /dev/")),
                          Property(&Error::remedy, HasSubstr("permission on /dev/")))));
}

TEST_P(Dmabuf, SaysHowMuchWasRefused) {
  EXPECT_THAT([] { GetParam().allocate(With(OpenNull, Refuse), {.bytes = 4096, .numa_node = {}}); },
              Throws<Error>(AllOf(Property(&Error::what, HasSubstr("4096 bytes")),
                                  Property(&Error::remedy, HasSubstr("smaller messages")))));
}

TEST(DmaHeap, IsNoPathElsewhere) {
  EXPECT_THAT(
      [] {
        AllocateDmaHeap({.open = OpenNull, .control = TakeFromHeap},
                        {.bytes = 4096, .numa_node = {}, .argument = "../null"});
      },
      Throws<Error>(Property(&Error::what, HasSubstr("names no heap"))));
}

}  // namespace
}  // namespace rdmabench
