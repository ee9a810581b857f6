#include "transport/memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <string>
#include <utility>

#include "transport/device.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/handle.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class EachMemoryKind : public ::testing::TestWithParam<const MemoryKind*> {};
INSTANTIATE_TEST_SUITE_P(Rows, EachMemoryKind,
                         ::testing::ValuesIn(MemoryKinds().begin(), MemoryKinds().end()),
                         [](const auto& test) { return std::string(test.param->name); });

TEST_P(EachMemoryKind, IsFoundByItsName) {
  EXPECT_EQ(FindMemoryKind(GetParam()->name).allocate, GetParam()->allocate);
}

TEST_P(EachMemoryKind, StartsAtAPage) {
  const Buffer buffer = GetParam()->allocate(nullptr, {.bytes = 100, .numa_node = {}});
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % page, 0U);
}

TEST_P(EachMemoryKind, HasTheSizeAskedFor) {
  EXPECT_EQ(GetParam()->allocate(nullptr, {.bytes = 4097, .numa_node = {}}).size(), 4097U);
}

TEST_P(EachMemoryKind, FillsEveryByte) {
  const Buffer buffer = GetParam()->allocate(nullptr, {.bytes = 10000, .numa_node = {}});
  GetParam()->fill(buffer, std::byte{0x5a});
  if (!GetParam()->cpu_access) GTEST_SKIP() << "the CPU cannot look";
  EXPECT_EQ(std::count(buffer.data(), buffer.data() + buffer.size(), std::byte{0x5a}), 10000);
}

TEST_P(EachMemoryKind, RefusesANodeThatIsNotThere) {
  EXPECT_THAT([] { GetParam()->allocate(nullptr, {.bytes = 4096, .numa_node = 1000}); },
              ThrowsMessage<Error>(HasSubstr("cannot bind memory to NUMA node 1000")));
}

TEST(Memory, NamesTheKnownKindsWhenAskedForAnother) {
  EXPECT_THAT([] { FindMemoryKind("hosts"); },
              ThrowsMessage<Error>(AllOf(HasSubstr("known: host"), HasSubstr("did you mean"))));
}

TEST(Buffer, IsGivenBackOnceAlthoughMoved) {
  int released = 0;
  std::byte byte{};
  {
    Buffer first(&byte, 1, [&released] { ++released; });
    const Buffer second(std::move(first));
    EXPECT_EQ(second.data(), &byte);
  }
  EXPECT_EQ(released, 1);
}

class MemoryRegionTest : public ::testing::Test {
 protected:
  ~MemoryRegionTest() override {
    pd_.reset();
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
  }
  MemoryRegion Region(int access) const {
    return {pd_.get(), FindMemoryKind("host"), {.bytes = 8192, .numa_node = {}}, access};
  }

 private:
  static Device Open() {
    fake::Reset();
    return Device::Open("fake0");
  }
  std::optional<Device> device_ = Open();
  Pd pd_{ibv_alloc_pd(device_->context())};
};

TEST_F(MemoryRegionTest, AlwaysAllowsLocalWrites) {
  EXPECT_EQ(fake::AccessOf(Region(IBV_ACCESS_REMOTE_READ).rkey()),
            IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE);
}

TEST_F(MemoryRegionTest, PassesRelaxedOrderingOn) {
  EXPECT_NE(fake::AccessOf(Region(IBV_ACCESS_RELAXED_ORDERING).rkey()) &
                static_cast<int>(IBV_ACCESS_RELAXED_ORDERING),
            0);
}

TEST_F(MemoryRegionTest, TellsThePeerTheRegistrationsAddress) {
  const MemoryRegion region = Region(0);
  EXPECT_EQ(region.addr(), reinterpret_cast<std::uintptr_t>(region.data()));
}

TEST_F(MemoryRegionTest, SaysHowMuchCouldNotBeRegistered) {
  fake::Inject({.failing_call = "ibv_reg_mr", .failing_errno = ENOMEM});
  EXPECT_THAT(
      [&] { Region(0); },
      ThrowsMessage<Error>(HasSubstr("cannot register 8192 bytes of memory: Cannot allocate")));
}

}  // namespace
}  // namespace rdmabench
