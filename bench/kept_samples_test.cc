#include "bench/kept_samples.h"

#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>
#include <numeric>

#include "transport/error.h"
#include "transport/loopback.h"

namespace rdmabench {
namespace {

using nlohmann::json;

constexpr KeptTransfer kSmall{.frame = 3, .patience = kTestPatience};

// A client's session and a server's; `serve` is what the server does.
template <class Serve>
std::vector<std::uint64_t> Fetch(std::uint64_t most, Serve serve) {
  ConnectedPair pair = Connect();
  Session server(std::move(pair.accepted), {.side = "server", .peer = "client"});
  Session client(std::move(pair.dialled), {});
  const std::future<void> served = std::async(std::launch::async, [&] { serve(server); });
  return FetchKept(client, most, kSmall);
}

class KeptSamples : public ::testing::TestWithParam<std::size_t> {};

TEST_P(KeptSamples, ComeOverTheSessionInOrder) {
  std::vector<std::uint64_t> ticks(GetParam());
  std::iota(ticks.begin(), ticks.end(), ~std::uint64_t{0} - ticks.size());
  EXPECT_EQ(Fetch(ticks.size(), [&](Session& server) { SendKept(server, ticks, kSmall); }), ticks);
}

INSTANTIATE_TEST_SUITE_P(Counts, KeptSamples, ::testing::Values(0, 1, 3, 4, 6, 20));

struct Hostile {
  const char* name;
  json body;
};

class HostileSamples : public ::testing::TestWithParam<Hostile> {};

TEST_P(HostileSamples, AreRefused) {
  const auto answer = [](Session& server) {
    server.Receive("take_samples", In(kTestPatience), "its taking samples");
    server.Send("samples", GetParam().body);
  };
  EXPECT_THROW(Fetch(2, answer), Error);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, HostileSamples,
    ::testing::Values(
        Hostile{"more_than_were_asked_for", {{"ticks", {1, 2, 3}}, {"is_last", true}}},
        Hostile{"more_than_a_frame_has", {{"ticks", {1, 2, 3, 4}}, {"is_last", true}}},
        Hostile{"none_and_no_end", {{"ticks", json::array()}, {"is_last", false}}},
        Hostile{"negative", {{"ticks", json::array({-1})}, {"is_last", true}}},
        Hostile{"unknown_key", {{"ticks", json::array({1})}, {"is_last", true}, {"more", 1}}}),
    [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rdmabench
