#include "transport/odp_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "transport/fake_memory_verbs.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using ::testing::HasSubstr;

class OdpMemory : public ::testing::Test {
 protected:
  std::string WhyNotOn(std::string_view type, std::uint32_t requests) {
    return kOdpMemory.why_not_on(device_.context(), FindQpType(type), requests)
        .value_or("it is there");
  }

  fake::MemoryDevice device_;
};

TEST_F(OdpMemory, IsThereWhereTheDevicePagesOnDemand) {
  device_.odp.general_caps = IBV_ODP_SUPPORT;
  EXPECT_EQ(kOdpMemory.why_not(device_.context()), std::nullopt);
}

TEST_F(OdpMemory, IsNotThereWhereTheDeviceDoesNot) {
  EXPECT_EQ(kOdpMemory.why_not(device_.context()), "the device does not page on demand");
  EXPECT_EQ(WhyNotOn("rc", IBV_ODP_SUPPORT_WRITE), "the device does not page on demand");
}

TEST_F(OdpMemory, IsThereForSomeTypesOfQueuePairOnly) {
  device_.odp.general_caps = IBV_ODP_SUPPORT;
  device_.odp.per_transport_caps.rc_odp_caps = IBV_ODP_SUPPORT_WRITE;
  device_.odp.per_transport_caps.ud_odp_caps = IBV_ODP_SUPPORT_SEND;
  EXPECT_EQ(WhyNotOn("rc", IBV_ODP_SUPPORT_WRITE), "it is there");
  EXPECT_EQ(WhyNotOn("ud", IBV_ODP_SUPPORT_SEND), "it is there");
  EXPECT_THAT(WhyNotOn("uc", IBV_ODP_SUPPORT_WRITE), HasSubstr("WRITE requests of uc queue pairs"));
}

TEST_F(OdpMemory, IsThereForSomeRequestsOfATypeOnly) {
  device_.odp.general_caps = IBV_ODP_SUPPORT;
  device_.odp.per_transport_caps.ud_odp_caps = IBV_ODP_SUPPORT_SEND;
  EXPECT_EQ(WhyNotOn("ud", IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV),
            "the device does not page on demand for receive requests of ud queue pairs");
  EXPECT_THAT(WhyNotOn("ud", IBV_ODP_SUPPORT_SRQ_RECV), HasSubstr("for shared receive requests"));
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
