#include "transport/inline_probe.h"

#include <gtest/gtest.h>

#include <cerrno>

#include "transport/device.h"
#include "transport/fake_verbs.h"

namespace rdmabench {
namespace {

class InlineProbe : public testing::TestWithParam<std::uint32_t> {
 protected:
  ~InlineProbe() override { EXPECT_EQ(fake::LiveObjects(), 0U); }
};

INSTANTIATE_TEST_SUITE_P(Grants, InlineProbe, testing::Values(0, 1, 64, 828, 4095, 4096));

TEST_P(InlineProbe, FindsWhatTheDeviceGrants) {
  fake::Reset({{.max_inline = GetParam()}});
  EXPECT_EQ(ProbeInline(Device::Open("fake0").context()), GetParam());
}

TEST_F(InlineProbe, DoesNotKnowItWhereNoQueuePairCanBeMade) {
  for (const char* call : {"ibv_alloc_pd", "ibv_create_cq", "ibv_create_qp"}) {
    fake::Reset();
    fake::Inject({.failing_call = call, .failing_errno = EOPNOTSUPP});
    EXPECT_FALSE(ProbeInline(Device::Open("fake0").context())) << call;
  }
}

}  // namespace
}  // namespace rdmabench
