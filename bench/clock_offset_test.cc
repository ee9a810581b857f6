#include "bench/clock_offset.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include "bench/clock.h"
#include "transport/loopback.h"
#include "transport/session.h"

namespace rdmabench {
namespace {

constexpr std::uint64_t kStart = 7'000'000'000'000'000;  // a machine that is up for 81 days
constexpr std::int64_t kAhead = -3'000'000'123;          // the server's clock, of the client's

// The way there takes `there` ns, and the way back `back`.
ClockExchange Exchange(std::uint64_t at, std::uint64_t there, std::uint64_t back) {
  const std::uint64_t asked = kStart + at;
  return {.asked = asked,
          .answered = asked + there + static_cast<std::uint64_t>(kAhead),
          .heard = asked + there + back};
}

TEST(OffsetOf, IsExactWhereBothWaysTakeEquallyLong) {
  const std::vector<ClockExchange> exchanges = {Exchange(0, 5000, 5000)};
  const report::ClockOffset offset = OffsetOf(exchanges);
  EXPECT_NEAR(offset.seconds, kAhead * 1e-9, 2e-9);
  EXPECT_NEAR(offset.error_seconds, 5e-6, 1e-12);
}

TEST(OffsetOf, IsThatOfTheShortestRoundTrip) {
  const std::vector<ClockExchange> exchanges = {Exchange(0, 900'000, 5000),
                                                Exchange(1'000'000, 4000, 5000),
                                                Exchange(2'000'000, 4000, 70'000)};
  const report::ClockOffset offset = OffsetOf(exchanges);
  EXPECT_NEAR(offset.seconds, kAhead * 1e-9 - 0.5e-6, 2e-9);
  EXPECT_NEAR(offset.error_seconds, 4.5e-6, 1e-12);
}

class Lopsided : public testing::TestWithParam<std::pair<std::uint64_t, std::uint64_t>> {};

TEST_P(Lopsided, WaysAreWithinTheError) {
  const std::vector<ClockExchange> exchanges = {Exchange(0, GetParam().first, GetParam().second)};
  const report::ClockOffset offset = OffsetOf(exchanges);
  EXPECT_LE(std::abs(offset.seconds - kAhead * 1e-9), offset.error_seconds + 2e-9);
}

INSTANTIATE_TEST_SUITE_P(Ways, Lopsided,
                         testing::Values(std::pair{0U, 10'000U}, std::pair{10'000U, 0U},
                                         std::pair{1U, 1U}, std::pair{0U, 0U},
                                         std::pair{3'000'000U, 500U}));

TEST(CompareClocks, FindsAnOffsetOverASessionWithinItsError) {
  ConnectedPair pair = Connect();
  Session client(std::move(pair.dialled), {});
  Session server(std::move(pair.accepted), {.side = "server", .peer = "client"});
  constexpr std::uint64_t kPlanted = 5'000'000'000;
  std::thread serving([&server] {
    EXPECT_FALSE(CompareClocks(
        server, Role::kServer, [] { return ReadSystemClock() + kPlanted; }, In(kTestPatience)));
  });
  const std::optional<report::ClockOffset> offset =
      CompareClocks(client, Role::kClient, ReadSystemClock, In(kTestPatience));
  serving.join();
  ASSERT_TRUE(offset);
  EXPECT_GT(offset->error_seconds, 0.0);
  EXPECT_LE(std::abs(offset->seconds - 5.0), offset->error_seconds + 1e-8);
}

TEST(CompareClocks, EndsWithItsDeadlineWhenThePeerDoesNotAnswer) {
  ConnectedPair pair = Connect();
  Session client(std::move(pair.dialled), {});
  const Session silent(std::move(pair.accepted), {.side = "server", .peer = "client"});
  EXPECT_THROW(
      CompareClocks(client, Role::kClient, ReadSystemClock, In(std::chrono::milliseconds(50))),
      Error);
}

}  // namespace
}  // namespace rdmabench
