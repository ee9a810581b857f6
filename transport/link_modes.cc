#include "transport/link_modes.h"

#include <linux/ethtool.h>

#include <algorithm>

namespace rdmabench {
namespace {

// Runs of modes of one speed, by their numbers in linux/ethtool.h; the last two are newer than some
// headers.
struct Modes {
  unsigned first;
  unsigned last;
  double gbps;
};

constexpr Modes kModes[] = {
    {ETHTOOL_LINK_MODE_1000baseT_Half_BIT, ETHTOOL_LINK_MODE_1000baseT_Full_BIT, 1.0},
    {ETHTOOL_LINK_MODE_10000baseT_Full_BIT, ETHTOOL_LINK_MODE_10000baseT_Full_BIT, 10.0},
    {ETHTOOL_LINK_MODE_1000baseKX_Full_BIT, ETHTOOL_LINK_MODE_1000baseKX_Full_BIT, 1.0},
    {ETHTOOL_LINK_MODE_10000baseKX4_Full_BIT, ETHTOOL_LINK_MODE_10000baseR_FEC_BIT, 10.0},
    {ETHTOOL_LINK_MODE_20000baseMLD2_Full_BIT, ETHTOOL_LINK_MODE_20000baseKR2_Full_BIT, 20.0},
    {ETHTOOL_LINK_MODE_40000baseKR4_Full_BIT, ETHTOOL_LINK_MODE_40000baseLR4_Full_BIT, 40.0},
    {ETHTOOL_LINK_MODE_56000baseKR4_Full_BIT, ETHTOOL_LINK_MODE_56000baseLR4_Full_BIT, 56.0},
    {ETHTOOL_LINK_MODE_25000baseCR_Full_BIT, ETHTOOL_LINK_MODE_25000baseSR_Full_BIT, 25.0},
    {ETHTOOL_LINK_MODE_50000baseCR2_Full_BIT, ETHTOOL_LINK_MODE_50000baseKR2_Full_BIT, 50.0},
    {ETHTOOL_LINK_MODE_100000baseKR4_Full_BIT, ETHTOOL_LINK_MODE_100000baseLR4_ER4_Full_BIT, 100.0},
    {ETHTOOL_LINK_MODE_50000baseSR2_Full_BIT, ETHTOOL_LINK_MODE_50000baseSR2_Full_BIT, 50.0},
    {ETHTOOL_LINK_MODE_1000baseX_Full_BIT, ETHTOOL_LINK_MODE_1000baseX_Full_BIT, 1.0},
    {ETHTOOL_LINK_MODE_10000baseCR_Full_BIT, ETHTOOL_LINK_MODE_10000baseER_Full_BIT, 10.0},
    {ETHTOOL_LINK_MODE_50000baseKR_Full_BIT, ETHTOOL_LINK_MODE_50000baseDR_Full_BIT, 50.0},
    {ETHTOOL_LINK_MODE_100000baseKR2_Full_BIT, ETHTOOL_LINK_MODE_100000baseDR2_Full_BIT, 100.0},
    {ETHTOOL_LINK_MODE_200000baseKR4_Full_BIT, ETHTOOL_LINK_MODE_200000baseCR4_Full_BIT, 200.0},
    {ETHTOOL_LINK_MODE_400000baseKR8_Full_BIT, ETHTOOL_LINK_MODE_400000baseCR8_Full_BIT, 400.0},
    {ETHTOOL_LINK_MODE_100000baseKR_Full_BIT, ETHTOOL_LINK_MODE_100000baseDR_Full_BIT, 100.0},
    {ETHTOOL_LINK_MODE_200000baseKR2_Full_BIT, ETHTOOL_LINK_MODE_200000baseCR2_Full_BIT, 200.0},
    {ETHTOOL_LINK_MODE_400000baseKR4_Full_BIT, ETHTOOL_LINK_MODE_400000baseCR4_Full_BIT, 400.0},
    {93, 98, 800.0},  // 800000baseCR8 to VR8
};

constexpr unsigned kWordBits = 32;

}  // namespace

std::optional<double> MostGbpsOf(std::span<const std::uint32_t> modes) {
  std::optional<double> most;
  for (const Modes& row : kModes) {
    for (unsigned bit = row.first; bit <= row.last && bit / kWordBits < modes.size(); ++bit) {
      if ((modes[bit / kWordBits] >> bit % kWordBits & 1U) == 0) continue;
      most = std::max(most.value_or(0.0), row.gbps);
    }
  }
  return most;
}

}  // namespace rdmabench
