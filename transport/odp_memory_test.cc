#include "transport/odp_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "transport/fake_memory_verbs.h"
#include "transport/memory.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;

class OdpMemory : public ::testing::Test {
 protected:
  std::string WhyNotOn(ibv_qp_type type) {
    return kOdpMemory.why_not_on(device_.context(), type).value_or("it is there");
  }

  fake::MemoryDevice device_;
};

TEST_F(OdpMemory, IsThereWhereTheDevicePagesOnDemand) {
  device_.odp.general_caps = IBV_ODP_SUPPORT;
  EXPECT_EQ(kOdpMemory.why_not(device_.context()), std::nullopt);
}

TEST_F(OdpMemory, IsNotThereWhereTheDeviceDoesNot) {
  EXPECT_EQ(kOdpMemory.why_not(device_.context()), "the device does not page on demand");
  EXPECT_EQ(WhyNotOn(IBV_QPT_RC), "the device does not page on demand");
}

TEST_F(OdpMemory, IsThereForSomeTypesOfQueuePairOnly) {
  device_.odp.general_caps = IBV_ODP_SUPPORT;
  device_.odp.per_transport_caps.rc_odp_caps = IBV_ODP_SUPPORT_WRITE;
  device_.odp.per_transport_caps.ud_odp_caps = IBV_ODP_SUPPORT_SEND;
  EXPECT_EQ(WhyNotOn(IBV_QPT_RC), "it is there");
  EXPECT_EQ(WhyNotOn(IBV_QPT_UD), "it is there");
  EXPECT_THAT(WhyNotOn(IBV_QPT_UC), HasSubstr("for uc queue pairs"));
}

TEST_F(OdpMemory, IsRegisteredForPagingAndSaysSo) {
  device_.odp.general_caps = IBV_ODP_SUPPORT;
  const MemoryRegion region(device_.pd(), kOdpMemory, {.bytes = 4096, .numa_node = {}},
                            IBV_ACCESS_REMOTE_READ);
  EXPECT_EQ(device_.access, IBV_ACCESS_REMOTE_READ | IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND);
  EXPECT_THAT(region.how(), HasSubstr("on demand"));
}

}  // namespace
}  // namespace rdmabench
