#include "transport/counters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace rdmabench {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

class CountersTest : public testing::Test {
 protected:
  CountersTest() : root_(testing::TempDir() + "counters") { std::filesystem::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) {
    WriteAt("class/infiniband/rxe0/ports/1/" + file, text);
  }
  void WriteAt(const std::string& file, const std::string& text) {
    const std::filesystem::path path = std::filesystem::path(root_) / file;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }

  std::string root_;
};

TEST_F(CountersTest, AreThoseOfBothDirectories) {
  Write("counters/port_xmit_data", "12\n");
  Write("hw_counters/rcvd_rnr_err", "3\n");
  EXPECT_THAT(ReadCounters(root_, "rxe0", 1),
              ElementsAre(Pair("port_xmit_data", 12), Pair("rcvd_rnr_err", 3)));
}

TEST_F(CountersTest, AreReadWhenTheKernelsCopyIsTooOld) {
  Write("hw_counters/lifespan", "30\n");
  const auto before = std::chrono::steady_clock::now();
  ReadCounters(root_, "rxe0", 1);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(30));
}

TEST_F(CountersTest, AreNoneWhereThereIsNoDirectory) {
  EXPECT_THAT(ReadCounters(root_, "mlx5_0", 1), IsEmpty());
}

TEST_F(CountersTest, LeaveOutWhatIsNoNumber) {
  Write("hw_counters/broken", "N/A\n");
  EXPECT_THAT(ReadCounters(root_, "rxe0", 1), IsEmpty());
}

TEST_F(CountersTest, OfAnInterfaceHaveNamesOfTheirOwn) {
  WriteAt("class/net/eth1/statistics/rx_dropped", "4\n");
  WriteAt("class/net/eth2/statistics/rx_dropped", "5\n");
  EXPECT_THAT(ReadNetdev(root_, "eth1"), ElementsAre(Pair("netdev_rx_dropped", 4)));
}

TEST_F(CountersTest, AreNoneOfAnInterfaceThatIsNotThere) {
  WriteAt("class/net/statistics/rx_dropped", "4\n");
  EXPECT_THAT(ReadNetdev(root_, "eth1"), IsEmpty());
  EXPECT_THAT(ReadNetdev(root_, ""), IsEmpty());
}

TEST(CounterMoves, MayGoBack) {
  EXPECT_THAT(Moves({{"backlog", 7}}, {{"backlog", 2}}), ElementsAre(Pair("backlog", -5)));
}

TEST(CounterMoves, AreThoseThatHaveMoved) {
  EXPECT_THAT(Moves({{"a", 1}, {"b", 5}}, {{"a", 1}, {"b", 7}, {"c", 9}}),
              ElementsAre(Pair("b", 2)));
}

TEST(CounterMoves, AreRightAfterACounterHasWrapped) {
  EXPECT_THAT(Moves({{"a", ~std::uint64_t{0}}}, {{"a", 1}}), ElementsAre(Pair("a", 2)));
}

}  // namespace
}  // namespace rdmabench
