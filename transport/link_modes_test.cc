#include "transport/link_modes.h"

#include <gtest/gtest.h>
#include <linux/ethtool.h>

#include <string>
#include <vector>

namespace rdmabench {
namespace {

std::vector<std::uint32_t> Modes(const std::vector<unsigned>& bits) {
  std::vector<std::uint32_t> words(4);
  for (const unsigned bit : bits) words[bit / 32] |= 1U << bit % 32;
  return words;
}

// One mode of each kind of name, as ethtool prints them.
struct Known {
  std::string name;
  unsigned bit;
  double gbps;
};

class LinkMode : public testing::TestWithParam<Known> {};

TEST_P(LinkMode, HasItsSpeed) { EXPECT_EQ(MostGbpsOf(Modes({GetParam().bit})), GetParam().gbps); }

INSTANTIATE_TEST_SUITE_P(
    All, LinkMode,
    testing::Values(Known{"1000baseT", ETHTOOL_LINK_MODE_1000baseT_Full_BIT, 1.0},
                    Known{"10000baseSR", ETHTOOL_LINK_MODE_10000baseSR_Full_BIT, 10.0},
                    Known{"25000baseCR", ETHTOOL_LINK_MODE_25000baseCR_Full_BIT, 25.0},
                    Known{"40000baseSR4", ETHTOOL_LINK_MODE_40000baseSR4_Full_BIT, 40.0},
                    Known{"50000baseKR", ETHTOOL_LINK_MODE_50000baseKR_Full_BIT, 50.0},
                    Known{"50000baseSR2", ETHTOOL_LINK_MODE_50000baseSR2_Full_BIT, 50.0},
                    Known{"100000baseCR4", ETHTOOL_LINK_MODE_100000baseCR4_Full_BIT, 100.0},
                    Known{"100000baseCR2", ETHTOOL_LINK_MODE_100000baseCR2_Full_BIT, 100.0},
                    Known{"100000baseDR", ETHTOOL_LINK_MODE_100000baseDR_Full_BIT, 100.0},
                    Known{"200000baseCR4", ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT, 200.0},
                    Known{"200000baseDR2", ETHTOOL_LINK_MODE_200000baseDR2_Full_BIT, 200.0},
                    Known{"400000baseSR8", ETHTOOL_LINK_MODE_400000baseSR8_Full_BIT, 400.0},
                    Known{"400000baseCR4", ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT, 400.0}),
    [](const auto& row) { return row.param.name; });

TEST(MostGbpsOf, IsThatOfTheFastest) {
  EXPECT_EQ(MostGbpsOf(Modes({ETHTOOL_LINK_MODE_10000baseT_Full_BIT,
                              ETHTOOL_LINK_MODE_100000baseSR4_Full_BIT,
                              ETHTOOL_LINK_MODE_40000baseCR4_Full_BIT})),
            100.0);
}

TEST(MostGbpsOf, TakesNoOtherBitForASpeed) {
  EXPECT_FALSE(MostGbpsOf(Modes({ETHTOOL_LINK_MODE_Autoneg_BIT, ETHTOOL_LINK_MODE_FIBRE_BIT,
                                 ETHTOOL_LINK_MODE_Pause_BIT, ETHTOOL_LINK_MODE_FEC_RS_BIT})));
  EXPECT_FALSE(MostGbpsOf({}));
}

}  // namespace
}  // namespace rdmabench
