#include "transport/device_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "transport/error.h"
#include "transport/fake_memory_verbs.h"
#include "transport/memory.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;

class DeviceMemory : public ::testing::Test {
 protected:
  DeviceMemory() { device_.dm_bytes = 65536; }
  ~DeviceMemory() override { EXPECT_EQ(device_.allocations, 0); }

  MemoryRegion Region(std::size_t bytes, int access = 0) {
    return {device_.pd(), kDeviceMemory, {.bytes = bytes, .numa_node = {}}, access};
  }

  fake::MemoryDevice device_;
};

TEST_F(DeviceMemory, IsThereWhereTheDeviceHasSome) {
  EXPECT_EQ(kDeviceMemory.why_not(device_.context()), std::nullopt);
}

TEST_F(DeviceMemory, IsNotThereWhereTheDeviceHasNone) {
  device_.dm_bytes = 0;
  EXPECT_THAT(kDeviceMemory.why_not(device_.context()).value_or(""), HasSubstr("max_dm_size is 0"));
}

TEST_F(DeviceMemory, NamesAnotherKindWhereTheDeviceHasNone) {
  device_.dm_bytes = 0;
  EXPECT_THAT([this] { Region(4096); },
              Throws<Error>(AllOf(Property(&Error::what, HasSubstr("max_dm_size is 0")),
                                  Property(&Error::remedy, HasSubstr("--memory host")))));
}

TEST_F(DeviceMemory, IsNamedFromZero) {
  EXPECT_EQ(Region(4096).addr(), 0U);
  EXPECT_NE(device_.access & static_cast<int>(IBV_ACCESS_ZERO_BASED), 0);
  EXPECT_EQ(device_.dm_offset, 0U);
}

TEST_F(DeviceMemory, IsRegisteredWithTheAccessAskedFor) {
  Region(4096, IBV_ACCESS_REMOTE_WRITE);
  EXPECT_EQ(device_.access,
            IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED);
}

TEST_F(DeviceMemory, IsFilledByTheDevice) {
  const MemoryRegion region = Region(10000);
  EXPECT_EQ(std::count(device_.dm.begin(), device_.dm.begin() + 10000, std::byte{0}), 10000);
}

TEST_F(DeviceMemory, IsOutOfTheProcessorsReach) {
  EXPECT_EQ(Region(4096).data(), nullptr);
  EXPECT_FALSE(kDeviceMemory.cpu_access);
  EXPECT_FALSE(kDeviceMemory.inline_ok);
  EXPECT_FALSE(kDeviceMemory.over_pcie);
}

TEST_F(DeviceMemory, SaysHowMuchThereIsWhereMoreWasAskedFor) {
  EXPECT_THAT(
      [this] { Region(65537); },
      Throws<Error>(AllOf(Property(&Error::what, AllOf(HasSubstr("65537"), HasSubstr("has 65536"))),
                          Property(&Error::remedy, HasSubstr("--tx-depth")))));
}

}  // namespace
}  // namespace rdmabench
