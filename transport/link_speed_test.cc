#include "transport/link_speed.h"

#include <gtest/gtest.h>

#include <string>

namespace rdmabench {
namespace {

// The texts of the kernel's file `rate` (drivers/infiniband/core/sysfs.c), whose unit is "Gb/sec".
struct Known {
  std::string name;
  int active_speed;
  int active_width;
  std::string rate;
  LinkSpeed speed;
};

class LinkSpeedTest : public testing::TestWithParam<Known> {};

TEST_P(LinkSpeedTest, IsThatOfTheKernelsFile) {
  const Known& known = GetParam();
  const auto speed = FindLinkSpeed(known.active_speed, known.active_width, known.rate);
  ASSERT_TRUE(speed);
  EXPECT_EQ(speed->lane, known.speed.lane);
  EXPECT_EQ(speed->lanes, known.speed.lanes);
  EXPECT_EQ(speed->gbps, known.speed.gbps);
  EXPECT_NEAR(speed->data_gbps, known.speed.data_gbps, 0.01);
}

INSTANTIATE_TEST_SUITE_P(
    All, LinkSpeedTest,
    testing::Values(Known{"one_lane", 1, 1, "2.5 Gb/sec (1X SDR)", {"SDR", 1, 2.5, 2.0}},
                    Known{"qdr", 4, 2, "40 Gb/sec (4X QDR)", {"QDR", 4, 40.0, 32.0}},
                    Known{"fdr", 16, 2, "56 Gb/sec (4X FDR)", {"FDR", 4, 56.0, 54.55}},
                    Known{"edr", 32, 2, "100 Gb/sec (4X EDR)", {"EDR", 4, 100.0, 100.0}},
                    Known{"two_lanes", 64, 16, "100 Gb/sec (2X HDR)", {"HDR", 2, 100.0, 100.0}},
                    Known{"ndr", 128, 2, "400 Gb/sec (4X NDR)", {"NDR", 4, 400.0, 400.0}},
                    // The verbs call it NDR.
                    Known{"xdr", 128, 2, "800 Gb/sec (4X XDR)", {"XDR", 4, 800.0, 800.0}},
                    Known{"without_the_file", 128, 2, "", {"NDR", 4, 400.0, 400.0}}),
    [](const auto& row) { return row.param.name; });

TEST(LinkSpeed, IsNotKnownForOtherCodes) {
  EXPECT_FALSE(FindLinkSpeed(3, 2, ""));
  EXPECT_FALSE(FindLinkSpeed(32, 3, ""));
  EXPECT_FALSE(FindLinkSpeed(0, 0, "2.5 Gb/sec (1X SDR)"));
}

}  // namespace
}  // namespace rdmabench
