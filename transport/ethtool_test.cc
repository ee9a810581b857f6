#include "transport/ethtool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/ethtool.h>

#include <array>
#include <string>

namespace rdmabench {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// As the kernel lays names out: fields of a fixed size, the longest without a zero at its end.
std::string Names(std::initializer_list<std::string> names) {
  std::string fields;
  for (const std::string& name : names) {
    fields += name;
    fields.resize((fields.size() + ETH_GSTRING_LEN - 1) / ETH_GSTRING_LEN * ETH_GSTRING_LEN);
  }
  return fields;
}

TEST(Ethtool, KeepsWhatTheTableKnowsOfTheDriver) {
  const std::string names =
      Names({"rx0_packets", "rx_prio3_pause", std::string(ETH_GSTRING_LEN, 'x'), "tx_prio3_pause"});
  const std::array<std::uint64_t, 4> values = {1, 2, 3, 4};
  EXPECT_THAT(
      KnownStatistics(names, values, "mlx5_core"),
      UnorderedElementsAre(Pair("ethtool_rx_prio3_pause", 2), Pair("ethtool_tx_prio3_pause", 4)));
  EXPECT_THAT(KnownStatistics(names, values, "rdma_rxe"), IsEmpty());
}

TEST(Ethtool, ReadsNoNameBeyondThoseThatAreThere) {
  const std::array<std::uint64_t, 2> values = {1, 2};
  EXPECT_THAT(KnownStatistics(Names({"rx_prio0_pause"}), values, "mlx5_core"),
              UnorderedElementsAre(Pair("ethtool_rx_prio0_pause", 1)));
}

TEST(Ethtool, IsAbsentWhereThereIsNoInterfaceOrNothingKnown) {
  EXPECT_THAT(ReadEthtool("no-such-netdev", "mlx5_core"), IsEmpty());
  EXPECT_THAT(ReadEthtool("a-name-longer-than-any-interface-has", "mlx5_core"), IsEmpty());
  EXPECT_THAT(ReadEthtool("lo", "rdma_rxe"), IsEmpty());
}

}  // namespace
}  // namespace rdmabench
