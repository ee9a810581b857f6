#include "transport/counter_table.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace rdmabench {
namespace {

TEST(CounterTable, HasEachCounterOfADriverOnceAndSaysWhatItMeans) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const CounterMeaning& row : CounterTable()) {
    EXPECT_TRUE(seen.insert({row.driver, row.name}).second) << row.driver << " " << row.name;
    EXPECT_FALSE(row.words.empty()) << row.name;
  }
}

TEST(CounterTable, KnowsADriverByItsOwnNames) {
  ASSERT_NE(FindCounter("rdma_rxe", "sent_pkts"), nullptr);
  EXPECT_EQ(FindCounter("rdma_rxe", "sent_pkts")->kind, CounterKind::kPacketsSent);
  EXPECT_EQ(FindCounter("mlx5_core", "sent_pkts"), nullptr);
  EXPECT_EQ(FindCounter("mlx5_core", "np_cnp_sent")->kind, CounterKind::kCongestion);
  EXPECT_EQ(FindCounter("mlx5_core.sf", "np_cnp_sent"), FindCounter("mlx5_core", "np_cnp_sent"));
}

TEST(CounterTable, HasTheStandardCountersForEveryDriver) {
  for (const std::string_view driver : {"", "rdma_rxe", "mlx5_core", "bnxt_re"}) {
    ASSERT_NE(FindCounter(driver, "port_rcv_errors"), nullptr) << driver;
    EXPECT_EQ(FindCounter(driver, "port_rcv_errors")->kind, CounterKind::kError);
  }
}

TEST(CounterTable, PrefersTheDriversOwnMeaning) {
  for (const CounterMeaning& row : CounterTable()) {
    if (row.driver.empty()) continue;
    std::string name(row.name);
    std::replace(name.begin(), name.end(), '#', '7');
    EXPECT_EQ(FindCounter(row.driver, name), &row) << row.name;
  }
}

TEST(CounterTable, HasOneRowForAllPriorities) {
  ASSERT_NE(FindCounter("mlx5_core", "ethtool_rx_prio0_pause"), nullptr);
  EXPECT_EQ(FindCounter("mlx5_core", "ethtool_rx_prio0_pause"),
            FindCounter("mlx5_core", "ethtool_rx_prio7_pause"));
  EXPECT_EQ(FindCounter("mlx5_core", "ethtool_rx_prio_pause"), nullptr);
  EXPECT_EQ(FindCounter("mlx5_core", "ethtool_rx_priox_pause"), nullptr);
  EXPECT_EQ(FindCounter("mlx5_core", "ethtool_rx_prio3_pause_duration"), nullptr);
}

TEST(CounterTable, TakesDropsOfTheKernelsPacketsForErrorsOnlyWhereRdmaIsMadeOfThem) {
  for (const std::string_view name : {"netdev_rx_dropped", "netdev_tx_dropped", "qdisc_drops"}) {
    ASSERT_NE(FindCounter("rdma_rxe", name), nullptr) << name;
    EXPECT_EQ(FindCounter("rdma_rxe", name)->kind, CounterKind::kError) << name;
    EXPECT_EQ(FindCounter("mlx5_core", name), nullptr) << name;
  }
  EXPECT_EQ(FindCounter("mlx5_core", "netdev_rx_crc_errors")->kind, CounterKind::kError);
}

TEST(CounterTable, DoesNotKnowWhatItHasNot) {
  EXPECT_EQ(FindCounter("rdma_rxe", "ack_deferred"), nullptr);
  EXPECT_EQ(FindCounter("", ""), nullptr);
}

}  // namespace
}  // namespace rdmabench
