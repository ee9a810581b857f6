#include "transport/fake_verbs_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

#include "transport/device.h"
#include "transport/endpoint.h"
#include "transport/fake_verbs.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using ::testing::ElementsAre;

constexpr std::uint64_t kStart = 1'000'000'000;
constexpr std::uint32_t kBytes = 16;

// Two connected endpoints in simulated time; `service_` is that of each message.
class FakeTime : public ::testing::Test {
 protected:
  FakeTime() {
    fake::Reset();
    device_.emplace(Device::Open("fake0"));
    EndpointOptions options;
    options.type = &FindQpType("rc");
    options.gid = device_->info().ports[0].gids[1];
    options.send_depth = 8;
    options.inline_wish = kBytes;
    options.memory_kind = &FindMemoryKind("host");
    options.exposed_bytes = 4096;
    options.access = IBV_ACCESS_REMOTE_WRITE;
    a_.emplace(*device_, options);
    b_.emplace(*device_, options);
    a_->Connect(b_->Local());
    b_->Connect(a_->Local());
    Begin();
  }
  ~FakeTime() override {
    a_.reset();
    b_.reset();
    device_.reset();
  }

  void Begin(std::uint64_t longest_step_ns = 1'000'000) {
    fake::Simulate({.now_ns = &now_ns_,
                    .service = [this](std::uint64_t, std::uint64_t) { return service_; },
                    .longest_step_ns = longest_step_ns,
                    .moving_on = [this](std::uint64_t next) { moves_.push_back(next - kStart); }});
  }

  // WRITEs the first bytes of one endpoint's memory to the other's.
  static void Write(const Endpoint& endpoint, unsigned flags = 0) {
    ibv_sge sge{endpoint.memory().addr(), kBytes, endpoint.memory().lkey()};
    ibv_send_wr wr{};
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.opcode = IBV_WR_RDMA_WRITE;
    wr.send_flags = IBV_SEND_SIGNALED | flags;
    wr.wr.rdma = {endpoint.TargetOf(0).addr, endpoint.TargetOf(0).rkey};
    ibv_send_wr* bad = nullptr;
    ASSERT_EQ(ibv_post_send(endpoint.queue_pairs()[0].get(), &wr, &bad), 0);
  }
  // Status of a completion, if there is one.
  static std::optional<ibv_wc_status> Poll(const Endpoint& endpoint) {
    ibv_wc wc{};
    if (ibv_poll_cq(endpoint.send_cqs()[0].get(), 1, &wc) != 1) return std::nullopt;
    return wc.status;
  }
  // The time at which the next completion comes.
  std::uint64_t TimeOfCompletion(const Endpoint& endpoint) {
    for (int i = 0; i < 1000; ++i) {
      if (Poll(endpoint)) return now_ns_ - kStart;
    }
    ADD_FAILURE() << "nothing completes";
    return 0;
  }
  static void Set(const Endpoint& endpoint, std::uint8_t value) {
    std::memset(endpoint.memory().data(), value, kBytes);
  }
  static std::byte LastByte(const Endpoint& endpoint) {
    return endpoint.memory().data()[kBytes - 1];
  }

  fake::Service service_{.wire_ns = 100, .flight_ns = 900};
  std::atomic<std::uint64_t> now_ns_{kStart};
  std::vector<std::uint64_t> moves_;
  std::optional<Device> device_;
  std::optional<Endpoint> a_;
  std::optional<Endpoint> b_;
};

TEST_F(FakeTime, BringsAMessageAndItsCompletionWhenTheirTimeHasCome) {
  Set(*a_, 0x42);
  Write(*a_);
  EXPECT_EQ(Poll(*a_), std::nullopt);
  EXPECT_EQ(LastByte(*b_), std::byte{0});
  EXPECT_EQ(now_ns_, kStart);
  EXPECT_EQ(TimeOfCompletion(*a_), 1000U);
  EXPECT_EQ(LastByte(*b_), std::byte{0x42});
  EXPECT_THAT(moves_, ElementsAre(1000));
}

TEST_F(FakeTime, SendsOneMessageAtATime) {
  for (int i = 0; i < 3; ++i) Write(*a_);
  EXPECT_EQ(TimeOfCompletion(*a_), 1000U);
  EXPECT_EQ(TimeOfCompletion(*a_), 1100U);
  EXPECT_EQ(TimeOfCompletion(*a_), 1200U);
}

TEST_F(FakeTime, KeepsTheOrderOfAQueuePair) {
  Write(*a_);
  service_.flight_ns = 10;
  Write(*a_);
  EXPECT_EQ(TimeOfCompletion(*a_), 1000U);
  EXPECT_EQ(TimeOfCompletion(*a_), 1000U);
}

TEST_F(FakeTime, StandsStillWhileSomeQueueHasNotBeenLookedAt) {
  Write(*a_);
  Poll(*a_);
  Write(*b_);
  for (const Endpoint* endpoint : {&*a_, &*b_}) EXPECT_EQ(Poll(*endpoint), std::nullopt);
  EXPECT_EQ(now_ns_, kStart);
  Poll(*a_);
  EXPECT_GT(now_ns_, kStart);
}

TEST_F(FakeTime, MovesOnByNoMoreThanItsLongestStep) {
  Begin(300);
  Write(*a_);
  EXPECT_EQ(TimeOfCompletion(*a_), 1000U);
  Poll(*a_);
  Poll(*a_);
  EXPECT_THAT(moves_, ElementsAre(300, 600, 900, 1000, 1300));
}

TEST_F(FakeTime, SendsInlineDataAsTheyWereWhenPosted) {
  Set(*a_, 0x42);
  Write(*a_, IBV_SEND_INLINE);
  Set(*a_, 0x24);
  TimeOfCompletion(*a_);
  EXPECT_EQ(LastByte(*b_), std::byte{0x42});
}

TEST_F(FakeTime, FlushesWhatIsOnItsWayWhenItsQueuePairFails) {
  Write(*a_);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_ERR;
  ASSERT_EQ(ibv_modify_qp(a_->queue_pairs()[0].get(), &attr, IBV_QP_STATE), 0);
  EXPECT_EQ(Poll(*a_), std::nullopt);
  EXPECT_EQ(Poll(*a_), IBV_WC_WR_FLUSH_ERR);
}

TEST_F(FakeTime, DropsWhatAQueuePairHadOnItsWayWhenItWent) {
  Write(*a_);
  a_.reset();
  for (int i = 0; i < 10; ++i) Poll(*b_);
  EXPECT_GT(now_ns_, kStart + 1000);
  EXPECT_EQ(LastByte(*b_), std::byte{0});
}

}  // namespace
}  // namespace rdmabench
