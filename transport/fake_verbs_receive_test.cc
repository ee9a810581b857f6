// Shared receive queues, and messages that get lost or come twice.
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <string_view>

#include "transport/device.h"
#include "transport/endpoint.h"
#include "transport/fake_verbs.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kDepth = 4;
constexpr std::uint32_t kBytes = 256;

// Two queue pairs a side, whose sends go from `a` to `b`.
class FakeReceives : public ::testing::Test {
 protected:
  FakeReceives() { fake::Reset(); }
  ~FakeReceives() override {
    a_.reset();
    b_.reset();
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
  }

  void Connect(std::string_view type, bool use_srq) {
    a_.reset();
    b_.reset();
    device_.emplace(Device::Open("fake0"));
    EndpointOptions options;
    options.type = type_ = &FindQpType(type);
    options.gid = device_->info().ports[0].gids[1];
    options.queue_pairs = 2;
    options.send_depth = options.recv_depth = kDepth;
    options.use_srq = use_srq;
    options.memory_kind = &FindMemoryKind("host");
    options.exposed_bytes = kBytes;
    a_.emplace(*device_, options);
    b_.emplace(*device_, options);
    a_->Connect(b_->Local());
    b_->Connect(a_->Local());
  }

  // One receive request of the whole memory.
  int PostReceive(std::uint64_t id, std::uint32_t bytes = kBytes) {
    ibv_sge sge{b_->memory().addr(), bytes, b_->memory().lkey()};
    ibv_recv_wr wr{.wr_id = id, .next = nullptr, .sg_list = &sge, .num_sge = 1};
    ibv_recv_wr* bad = nullptr;
    return b_->srq() != nullptr ? ibv_post_srq_recv(b_->srq(), &wr, &bad)
                                : ibv_post_recv(b_->queue_pairs()[0].get(), &wr, &bad);
  }
  // Posts a send of queue pair `index`, and returns what its completion says.
  ibv_wc_status Send(std::uint32_t index) {
    ibv_sge sge{a_->memory().addr(), 8, a_->memory().lkey()};
    ibv_send_wr wr{};
    wr.sg_list = &sge;
    wr.num_sge = 1;
    wr.opcode = IBV_WR_SEND;
    wr.send_flags = IBV_SEND_SIGNALED;
    type_->address(wr, a_->TargetOf(index));
    ibv_send_wr* bad = nullptr;
    EXPECT_EQ(ibv_post_send(a_->queue_pairs()[index].get(), &wr, &bad), 0);
    ibv_wc wc{};
    EXPECT_EQ(ibv_poll_cq(a_->send_cqs()[0].get(), 1, &wc), 1);
    return wc.status;
  }
  std::optional<ibv_wc> Received() {
    ibv_wc wc{};
    if (ibv_poll_cq(b_->recv_cqs()[0].get(), 1, &wc) != 1) return std::nullopt;
    return wc;
  }

  std::optional<Device> device_;
  std::optional<Endpoint> a_;
  std::optional<Endpoint> b_;
  const QpType* type_ = nullptr;
};

TEST_F(FakeReceives, AreTakenFromTheSharedQueueByEveryQueuePairInTurn) {
  for (const char* type : {"rc", "uc", "ud"}) {
    Connect(type, true);
    ASSERT_EQ(PostReceive(1), 0);
    ASSERT_EQ(PostReceive(2), 0);
    EXPECT_EQ(Send(1), IBV_WC_SUCCESS);
    EXPECT_EQ(Send(0), IBV_WC_SUCCESS);
    for (const std::uint32_t index : {1U, 0U}) {
      const std::optional<ibv_wc> wc = Received();
      ASSERT_TRUE(wc) << type;
      EXPECT_EQ(wc->wr_id, index == 1 ? 1U : 2U);
      EXPECT_EQ(wc->qp_num, b_->queue_pairs()[index]->qp_num);
      EXPECT_EQ(wc->byte_len, 8U + type_->recv_headroom);
    }
  }
}

TEST_F(FakeReceives, AreMissedWhenTheSharedQueueIsEmpty) {
  Connect("rc", true);
  EXPECT_EQ(Send(0), IBV_WC_RNR_RETRY_EXC_ERR);
}

TEST_F(FakeReceives, FillTheSharedQueueUntilTheirCompletionsArePolled) {
  Connect("rc", true);
  for (std::uint32_t i = 0; i < kDepth; ++i) ASSERT_EQ(PostReceive(i), 0);
  EXPECT_EQ(PostReceive(9), ENOMEM);
  ASSERT_EQ(Send(0), IBV_WC_SUCCESS);
  EXPECT_EQ(PostReceive(9), ENOMEM);
  ASSERT_TRUE(Received());
  EXPECT_EQ(PostReceive(9), 0);
}

TEST_F(FakeReceives, OfTheSharedQueueStayWhenAQueuePairFails) {
  Connect("rc", true);
  ASSERT_EQ(PostReceive(1), 0);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_ERR;
  ASSERT_EQ(ibv_modify_qp(b_->queue_pairs()[0].get(), &attr, IBV_QP_STATE), 0);
  EXPECT_FALSE(Received());
  EXPECT_EQ(Send(1), IBV_WC_SUCCESS);
  EXPECT_TRUE(Received());
}

TEST_F(FakeReceives, ThatAreTooShortFailBothSidesAndLeaveTheSharedQueue) {
  Connect("rc", true);
  ASSERT_EQ(PostReceive(1, 4), 0);
  EXPECT_EQ(Send(0), IBV_WC_REM_INV_REQ_ERR);
  const std::optional<ibv_wc> wc = Received();
  ASSERT_TRUE(wc);
  EXPECT_EQ(wc->status, IBV_WC_LOC_LEN_ERR);
  EXPECT_EQ(wc->wr_id, 1U);
}

TEST_F(FakeReceives, DoNotGoToAQueuePairThatSharesItsQueue) {
  Connect("rc", true);
  ibv_recv_wr wr{};
  ibv_recv_wr* bad = nullptr;
  EXPECT_EQ(ibv_post_recv(b_->queue_pairs()[0].get(), &wr, &bad), EINVAL);
}

TEST_F(FakeReceives, KeepTheirSharedQueueWhileAQueuePairHasIt) {
  Connect("rc", true);
  EXPECT_EQ(ibv_destroy_srq(b_->srq()), EBUSY);
}

TEST_F(FakeReceives, FailAsTheCallThatWasNamed) {
  Connect("rc", true);
  fake::Inject({.failing_call = "ibv_post_srq_recv", .failing_errno = EIO});
  EXPECT_EQ(PostReceive(1), EIO);
}

TEST_F(FakeReceives, AreAsManyASharedQueueAsTheDeviceAllows) {
  fake::Reset({{.max_srq_wr = 3}});
  EXPECT_EQ(Device::Open("fake0").info().limits.max_srq_wr, 3U);
  EXPECT_ANY_THROW(Connect("rc", true));
}

TEST_F(FakeReceives, AreNotSharedWhereTheDeviceHasNoSuchQueues) {
  fake::Reset({{.max_srq_wr = 0}});
  EXPECT_EQ(Device::Open("fake0").info().limits.max_srq_wr, 0U);
  EXPECT_ANY_THROW(Connect("rc", true));
}

TEST_F(FakeReceives, MissTheMessageThatWasNamedWhereNobodyIsTold) {
  for (const char* type : {"rc", "uc", "ud"}) {
    Connect(type, false);
    fake::Inject({.lose_at_message = 1});
    ASSERT_EQ(PostReceive(1), 0);
    EXPECT_EQ(Send(0), IBV_WC_SUCCESS);
    EXPECT_EQ(Received().has_value(), !type_->loses) << type;
  }
}

TEST_F(FakeReceives, MissSoManyFromTheMessageOnThatWasNamed) {
  Connect("ud", false);
  fake::Inject({.lose_at_message = 2, .lost_messages = 2});
  for (std::uint64_t id = 0; id < 4; ++id) ASSERT_EQ(PostReceive(id), 0);
  std::size_t received = 0;
  for (int i = 0; i < 4; ++i) {
    Send(0);
    received += Received().has_value() ? 1 : 0;
    EXPECT_EQ(received, i < 3 ? 1U : 2U);
  }
}

TEST_F(FakeReceives, TakeTheMessageThatWasNamedAfterLaterOnes) {
  Connect("uc", false);
  fake::Inject({.late_at_message = 1, .late_by_messages = 2});
  for (std::uint64_t id = 0; id < 3; ++id) ASSERT_EQ(PostReceive(id), 0);
  Send(0);
  EXPECT_FALSE(Received());
  Send(0);
  EXPECT_TRUE(Received());
  EXPECT_FALSE(Received());
  Send(0);
  EXPECT_TRUE(Received());
  EXPECT_TRUE(Received());
}

TEST_F(FakeReceives, TakeTheMessageThatWasNamedTwice) {
  Connect("ud", false);
  fake::Inject({.duplicate_at_message = 1});
  for (std::uint64_t id = 0; id < 3; ++id) ASSERT_EQ(PostReceive(id), 0);
  EXPECT_EQ(Send(0), IBV_WC_SUCCESS);
  EXPECT_TRUE(Received());
  EXPECT_TRUE(Received());
  EXPECT_FALSE(Received());
}

}  // namespace
}  // namespace rdmabench
