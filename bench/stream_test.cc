#include "bench/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/plan.h"
#include "bench/policies.h"
#include "bench/shape.h"

namespace rdmabench {
namespace {

// A device in a few lines: each queue pair completes in order, a bounded number of requests a poll.
struct Wire {
  struct Request {
    std::uint64_t lane;
    bool signalled;
  };
  std::deque<Request> queue;
  std::map<std::uint64_t, std::uint32_t> in_flight;
  std::map<std::uint64_t, std::uint64_t> posted;
  std::vector<std::uint64_t> local, remote;  // addresses that requests name, as they were posted
  std::uint32_t most_in_flight = 0;
  std::uint32_t served_a_poll = 7;
  std::uint64_t fail_at = 0;  // the n-th request served fails
  std::uint64_t served = 0;
  int post_error = 0;
};
Wire* wire = nullptr;

struct TestChannel {
  static int Post(ibv_qp* /*qp*/, ibv_send_wr* chain) {
    if (wire->post_error != 0) return wire->post_error;
    for (; chain != nullptr; chain = chain->next) {
      wire->queue.push_back({chain->wr_id, (chain->send_flags & IBV_SEND_SIGNALED) != 0});
      ++wire->posted[chain->wr_id];
      wire->local.push_back(chain->sg_list->addr);
      wire->remote.push_back(chain->wr.rdma.remote_addr);
      wire->most_in_flight = std::max(wire->most_in_flight, ++wire->in_flight[chain->wr_id]);
    }
    return 0;
  }
  static int Poll(ibv_cq* /*cq*/, ibv_wc* completions, int most) {
    int count = 0;
    for (std::uint32_t i = 0; i < wire->served_a_poll && count < most && !wire->queue.empty();
         ++i) {
      const Wire::Request request = wire->queue.front();
      wire->queue.pop_front();
      --wire->in_flight[request.lane];
      const bool fails = ++wire->served == wire->fail_at;
      if (!request.signalled && !fails) continue;
      completions[count] = {};
      completions[count].wr_id = request.lane;
      completions[count].status = fails ? IBV_WC_RETRY_EXC_ERR : IBV_WC_SUCCESS;
      ++count;
    }
    return count;
  }
};

using TestStream = Stream<TestChannel, Unstamped, Unpaced, Unprobed>;

class StreamTest : public testing::Test {
 protected:
  StreamTest() { wire = &wire_; }
  ~StreamTest() override { wire = nullptr; }

  std::vector<Lane> MakeLanes(const RingShape& shape, std::uint32_t count) {
    std::vector<Lane> lanes;
    const SlotLayout layout(shape.message_bytes, shape.Length(), 1 << 20);
    for (std::uint32_t i = 0; i < count; ++i) {
      lanes.push_back(
          {&qp_, WorkRing(shape, layout, {.lane = i}, FindOp("write"), FindQpType("rc"))});
    }
    return lanes;
  }

  LoopResult Run(TestStream& stream) {
    const auto done = [this](std::size_t engine) { done_.push_back(engine); };
    return Drive(TickClock(TickSource::kSystem), BusyPoll{}, {abort_, finish_}, progress_, done,
                 stream);
  }

  Wire wire_;
  ibv_qp qp_{};
  std::atomic<bool> abort_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::uint64_t> progress_{0};
  std::vector<std::size_t> done_;  // engines, as the driver told
};

struct StreamCase {
  RingShape shape;
  std::uint32_t lanes;
  std::uint64_t messages;
};

class StreamShapes : public StreamTest, public testing::WithParamInterface<StreamCase> {};

TEST_P(StreamShapes, SendsExactlyItsCountOnEveryQueuePairAndNeverMoreThanTheWindow) {
  const auto& [shape, lanes, messages] = GetParam();
  TestStream stream({.shape = shape, .messages = messages}, MakeLanes(shape, lanes), {nullptr});
  EXPECT_EQ(Run(stream).outcome, Outcome::kDone);
  const std::uint64_t whole = (messages + shape.Unit() - 1) / shape.Unit() * shape.Unit();
  for (std::uint32_t i = 0; i < lanes; ++i) {
    EXPECT_EQ(stream.CompletedPerLane()[i], whole);
    EXPECT_EQ(wire_.posted[i], whole);
  }
  EXPECT_EQ(stream.completed(), whole * lanes);
  EXPECT_EQ(progress_.load(), whole * lanes);
  EXPECT_EQ(done_, std::vector<std::size_t>{0});
  EXPECT_LE(wire_.most_in_flight, shape.window);
  EXPECT_TRUE(wire_.queue.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, StreamShapes,
    testing::Values(StreamCase{{64, 128, 1, 1}, 1, 1000}, StreamCase{{64, 128, 1, 100}, 1, 1000},
                    StreamCase{{64, 128, 32, 32}, 2, 1024}, StreamCase{{64, 128, 32, 100}, 1, 801},
                    StreamCase{{64, 128, 1, 32}, 5, 33}, StreamCase{{64, 1, 1, 1}, 3, 17},
                    StreamCase{{64, 22, 8, 15}, 2, 1}, StreamCase{{64, 16, 4, 2}, 16, 100}));

// What is posted, not what the plan says.
class StreamAccess : public StreamTest {
 protected:
  static constexpr std::uint32_t kLanes = 2;
  static constexpr std::uint64_t kBytes = 512;
  static constexpr std::uint64_t kSlots = 96;  // of a queue pair: fewer than its window
  static constexpr std::uint64_t kLaps = 10;

  // Of a write_bw, each lane goes through its slots so many times.
  void RunLaps(const MemoryOptions& memory) {
    TestPlan plan;
    plan.test = "write_bw";
    plan.queue.queue_pairs = kLanes;
    plan.memory = memory;
    const RingShape shape = ShapeFor(plan, kBytes, 4096);
    const SlotLayout layout = LayoutFor(shape, kLanes);
    std::vector<Lane> lanes;
    for (std::uint32_t i = 0; i < kLanes; ++i) {
      const WorkRing::Place place{.lane = i,
                                  .first_slot = std::uint64_t{i} * shape.Slots(),
                                  .local = {.addr = kLocal, .key = 1},
                                  .target = {.addr = kRemote, .rkey = 2}};
      lanes.push_back({&qp_, WorkRing(shape, layout, place, FindOp("write"), FindQpType("rc"))});
    }
    TestStream stream({.shape = shape, .messages = kLaps * kSlots}, std::move(lanes), {nullptr});
    EXPECT_EQ(Run(stream).outcome, Outcome::kDone);
  }
  static std::map<std::uint64_t, std::uint64_t> Uses(const std::vector<std::uint64_t>& addresses,
                                                     std::uint64_t base) {
    std::map<std::uint64_t, std::uint64_t> uses;
    for (const std::uint64_t address : addresses) ++uses[address - base];
    return uses;
  }

  static constexpr std::uint64_t kLocal = 0x10000;
  static constexpr std::uint64_t kRemote = 0x900000;
};

class StreamThroughMemory : public StreamAccess, public testing::WithParamInterface<const char*> {};

TEST_P(StreamThroughMemory, NamesEverySlotOfTheWorkingSetEquallyOftenOnBothSides) {
  MemoryOptions memory;
  memory.access = GetParam();
  memory.working_set_bytes = kLanes * kSlots * kBytes;
  RunLaps(memory);
  std::map<std::uint64_t, std::uint64_t> all;
  for (std::uint64_t slot = 0; slot < kLanes * kSlots; ++slot) all[slot * kBytes] = kLaps;
  EXPECT_EQ(Uses(wire_.local, kLocal), all);
  EXPECT_EQ(Uses(wire_.remote, kRemote), all);
  // A lap of the first lane, whose slots are the lower half.
  std::vector<std::uint64_t> lap;
  for (const std::uint64_t address : wire_.remote) {
    if (address < kRemote + kSlots * kBytes && lap.size() < kSlots) lap.push_back(address);
  }
  EXPECT_EQ(std::is_sorted(lap.begin(), lap.end()), std::string_view(GetParam()) == "sequential");
}

INSTANTIATE_TEST_SUITE_P(Accesses, StreamThroughMemory, testing::Values("sequential", "random"));

TEST_F(StreamAccess, NamesOneSlotOfEachQueuePairWhereAccessIsSame) {
  MemoryOptions memory;
  memory.access = "same";
  RunLaps(memory);
  const std::map<std::uint64_t, std::uint64_t> one = {{0, kLaps * kSlots},
                                                      {kBytes, kLaps * kSlots}};
  EXPECT_EQ(Uses(wire_.local, kLocal), one);
  EXPECT_EQ(Uses(wire_.remote, kRemote), one);
}

TEST_F(StreamTest, FillsTheWholeWindow) {
  const RingShape shape{64, 128, 1, 32};
  TestStream stream({.shape = shape, .messages = 1000}, MakeLanes(shape, 1), {nullptr});
  Run(stream);
  EXPECT_EQ(wire_.most_in_flight, 128U);
}

TEST_F(StreamTest, FinishesTheUnitUnderWayWhenTold) {
  const RingShape shape{64, 128, 1, 100};
  TestStream stream({.shape = shape, .messages = 1'000'000}, MakeLanes(shape, 2), {nullptr});
  finish_ = true;  // seen after the first pass
  EXPECT_EQ(Run(stream).outcome, Outcome::kDone);
  EXPECT_EQ(stream.completed(), 400U);
  EXPECT_TRUE(wire_.queue.empty());
}

TEST_F(StreamTest, SendsItsMinimumAlsoWhenToldToFinishAtOnce) {
  const RingShape shape{64, 16, 1, 4};
  TestStream stream({.shape = shape, .messages = 1'000'000, .at_least = 50}, MakeLanes(shape, 1),
                    {nullptr});
  finish_ = true;
  Run(stream);
  EXPECT_EQ(stream.completed(), 52U);
}

TEST_F(StreamTest, LeavesAtOnceWhenAborted) {
  const RingShape shape{64, 16, 1, 4};
  TestStream stream({.shape = shape, .messages = 1'000'000}, MakeLanes(shape, 1), {nullptr});
  abort_ = true;
  EXPECT_EQ(Run(stream).outcome, Outcome::kAborted);
  EXPECT_LT(stream.completed(), 100U);
  EXPECT_TRUE(done_.empty());
}

TEST_F(StreamTest, ReportsTheFirstErrorCompletion) {
  wire_.fail_at = 11;
  const RingShape shape{64, 16, 1, 4};
  TestStream stream({.shape = shape, .messages = 1000}, MakeLanes(shape, 1), {nullptr});
  const LoopResult result = Run(stream);
  EXPECT_EQ(result.outcome, Outcome::kFailed);
  EXPECT_EQ(result.failure.what, Failure::What::kCompletion);
  EXPECT_EQ(result.failure.code, IBV_WC_RETRY_EXC_ERR);
  EXPECT_EQ(stream.completed(), 8U);
}

TEST_F(StreamTest, ReportsAPostThatFails) {
  wire_.post_error = ENOMEM;
  const RingShape shape{64, 16, 1, 4};
  TestStream stream({.shape = shape, .messages = 1000}, MakeLanes(shape, 1), {nullptr});
  const LoopResult result = Run(stream);
  EXPECT_EQ(result.failure.what, Failure::What::kPost);
  EXPECT_EQ(result.failure.code, ENOMEM);
}

// Notes the lane, the number and the length of each chain.
struct Noted {
  void operator()(std::uint32_t lane, const ibv_send_wr* chain, std::uint64_t message) const {
    EXPECT_EQ(chain->wr_id, lane);
    std::uint64_t length = 0;
    for (; chain != nullptr; chain = chain->next) ++length;
    // All that used the chain's slots before has completed.
    const std::uint64_t done = wire->posted[lane] - wire->in_flight[lane];
    EXPECT_TRUE(message < kRing || done >= message - kRing + length) << message;
    (*chains)[lane].emplace_back(message, length);
  }
  static constexpr std::uint64_t kRing = 8;
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>>* chains;
};

TEST_F(StreamTest, HasEachChainStampedWithItsLaneAndItsFirstMessage) {
  const RingShape shape{.message_bytes = 64, .window = 7, .post_list = 2, .signal_every = 4};
  ASSERT_EQ(shape.Length(), Noted::kRing);
  std::map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> chains;
  Stream<TestChannel, Noted, Unpaced, Unprobed> stream(
      {.shape = shape, .messages = 100}, MakeLanes(shape, 3), {nullptr}, Noted{&chains});
  while (!stream.Done()) ASSERT_TRUE(stream.Step());
  ASSERT_EQ(chains.size(), 3U);
  for (const auto& [lane, posts] : chains) {
    ASSERT_EQ(posts.size(), 50U);
    for (std::uint64_t i = 0; i < posts.size(); ++i) {
      EXPECT_EQ(posts[i], std::pair(2 * i, std::uint64_t{2}));
    }
  }
}

}  // namespace
}  // namespace rdmabench
