// Plans whose numbers are each within their ranges, and whose product is absurd: refused by the
// limit that they exceed, with the figure that was asked in full.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "bench/agreement.h"
#include "bench/sample_log.h"
#include "transport/error.h"

namespace rdmabench {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kTiB = std::uint64_t{1} << 40;
// The most that a server can be told to allow.
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 50;

Offer LargestOffer() {
  return {.device = "mlx5_0",
          .link_layer = "infiniband",
          .active_mtu_bytes = 4096,
          .lid = 3,
          .needs_gid = false,
          .gids = {},
          .max_queue_pairs = ~std::uint32_t{0},
          .max_depth = static_cast<std::uint32_t>(kDepth.high),
          .max_read_depth = 16,
          .max_srq_depth = static_cast<std::uint32_t>(kDepth.high),
          .atomics = true};
}

// As many messages of the largest size as there may be, each in memory of its own.
void AskForAll(TestPlan& test) {
  test.queue.queue_pairs = static_cast<std::uint32_t>(kQueuePairs.high);
  test.queue.send_depth = static_cast<std::uint32_t>(kDepth.high);
  test.run.message_bytes = {kMessageBytes.high};
  test.run.verify = true;
}

struct AbsurdPlan {
  const char* name;
  const char* test;
  void (*ask)(TestPlan& test, Sides& sides);
  std::uint64_t memory_bytes;  // that the server allows
  const char* what;
  std::uint64_t least_asked;
};
void PrintTo(const AbsurdPlan& plan, std::ostream* out) { *out << plan.name; }

class AbsurdPlans : public testing::TestWithParam<AbsurdPlan> {};

TEST_P(AbsurdPlans, AreRefusedWithTheFigureAsked) {
  const AbsurdPlan& row = GetParam();
  TestPlan test;
  test.test = row.test;
  Sides sides;
  sides.client = sides.server = {LargestOffer()};
  row.ask(test, sides);
  ASSERT_NO_THROW(PlanFromJson(PlanToJson({.tests = {test}}))) << "each is within its range";
  try {
    Agree(test, sides, {.memory_bytes = row.memory_bytes});
    FAIL() << "it is granted";
  } catch (const Error& error) {
    const std::string text = error.what();
    EXPECT_THAT(text, HasSubstr(row.what));
    const std::string asked_were = "asked were ";
    ASSERT_THAT(text, HasSubstr(asked_were));
    const std::string asked = text.substr(text.find(asked_were) + asked_were.size());
    EXPECT_GE(std::strtoull(asked.c_str(), nullptr, 10), row.least_asked) << text;
  }
}

constexpr std::uint64_t kDefaultMemory = Limits().memory_bytes;
constexpr std::uint64_t kMostPairs = kMostRails * kQueuePairs.high;

constexpr AbsurdPlan kAbsurdPlans[] = {
    {"WorkingSet", "write_bw", [](TestPlan& test, Sides&) { test.memory.working_set_bytes = kTiB; },
     kDefaultMemory, "bytes of memory", kTiB},
    {"GigabytePages", "write_bw",
     [](TestPlan& test, Sides&) {
       test.queue.threads = test.queue.queue_pairs = static_cast<std::uint32_t>(kThreads.high);
       test.memory.remote_kind = "huge1g";
     },
     kDefaultMemory, "bytes of memory", kTiB},
    {"OneWay", "write_bw", [](TestPlan& test, Sides&) { AskForAll(test); }, kMostMemory,
     "bytes of memory", std::uint64_t{1} << 59},
    {"BothWays", "write_bw",
     [](TestPlan& test, Sides&) {
       AskForAll(test);
       test.queue.bidirectional = true;
     },
     kMostMemory, "bytes of memory", std::uint64_t{1} << 60},
    {"BothWaysWithReceives", "send_bw",
     [](TestPlan& test, Sides&) {
       AskForAll(test);
       test.queue.recv_depth = test.queue.send_depth;
       test.queue.bidirectional = true;
       test.queue.threads = static_cast<std::uint32_t>(kThreads.high);
       test.memory.align_bytes = static_cast<std::uint32_t>(kAlignBytes.high);
       test.memory.offset_bytes = static_cast<std::uint32_t>(kOffsetBytes.high);
     },
     kMostMemory, "bytes of memory", std::uint64_t{1} << 60},
    {"LongRings", "write_bw",
     [](TestPlan& test, Sides&) {
       AskForAll(test);
       test.queue.send_depth = 32767;
       test.queue.post_list = 16384;
       test.queue.signal_every = 16384;
     },
     kMostMemory, "bytes of memory", std::uint64_t{1} << 59},
    {"RequestsOfManyQueuePairs", "send_bw",
     [](TestPlan& test, Sides&) {
       AskForAll(test);
       test.run.verify = false;
       test.run.message_bytes = {1};
       test.queue.recv_depth = test.queue.send_depth;
       test.queue.bidirectional = true;
     },
     kDefaultMemory, "bytes of memory", std::uint64_t{1} << 36},
    {"SamplesOfTheServer", "read_lat",
     [](TestPlan& test, Sides& sides) {
       test.queue.reversed = true;
       sides.keep_samples = kMostKeptSamples;
     },
     std::uint64_t{64} << 20, "bytes of memory", 8 * kMostKeptSamples},
    {"DevicesTimesQueuePairs", "write_bw",
     [](TestPlan& test, Sides& sides) {
       AskForAll(test);
       sides.client.resize(kMostRails, LargestOffer());
       sides.server.resize(kMostRails, LargestOffer());
     },
     kMostMemory, "queue pairs a client", kMostPairs},
};

INSTANTIATE_TEST_SUITE_P(Kinds, AbsurdPlans, testing::ValuesIn(kAbsurdPlans),
                         [](const auto& row) { return row.param.name; });

}  // namespace
}  // namespace rdmabench
