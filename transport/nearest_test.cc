#include "transport/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace rdmabench {
namespace {

constexpr std::array<std::string_view, 6> kKnown = {"write_bw", "write_lat", "read_bw",
                                                    "read_lat", "send_bw",   "cmp_swap_lat"};

TEST(NearestNames, PutsTheNearestFirst) {
  EXPECT_EQ(NearestNames("write_bww", kKnown), "write_bw, write_lat");
  EXPECT_EQ(NearestNames("red_bw", kKnown), "read_bw, send_bw");
}

TEST(NearestNames, IgnoresCaseAndTheKindOfDash) {
  constexpr std::array<std::string_view, 1> kTestNames = {"cmp_swap_lat"};
  EXPECT_EQ(NearestNames("CMP-SWAP-LAT", kTestNames), "cmp_swap_lat");
}

TEST(NearestNames, NamesAtMostThree) {
  constexpr std::array<std::string_view, 4> kAlike = {"depth1", "depth2", "depth3", "depth4"};
  EXPECT_EQ(NearestNames("depth", kAlike), "depth1, depth2, depth3");
}

TEST(NearestNames, IsEmptyWhenNoneIsNear) {
  EXPECT_EQ(NearestNames("bandwidth_of_everything", kKnown), "");
  EXPECT_EQ(NearestNames("", kKnown), "");
}

TEST(NearestNames, FindsNothingNearWithoutAnythingInCommon) {
  constexpr std::array<std::string_view, 3> kTypes = {"rc", "uc", "ud"};
  EXPECT_EQ(NearestNames("q", kTypes), "");
  EXPECT_EQ(NearestNames("xrc", kTypes), "rc, uc");
}

TEST(NearestNames, DoesNotCompareWithAMegabyte) {
  EXPECT_EQ(NearestNames(std::string(1 << 20, 'x'), kKnown), "");
}

TEST(DidYouMean, AsksOrSaysNothing) {
  EXPECT_EQ(DidYouMean("send_b", kKnown), "; did you mean send_bw?");
  EXPECT_EQ(DidYouMean("nonsense_at_all", kKnown), "");
}

}  // namespace
}  // namespace rdmabench
