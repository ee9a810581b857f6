#include "transport/fake_verbs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <vector>

#include "transport/device.h"
#include "transport/endpoint.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

constexpr std::uint32_t kDepth = 8;
constexpr int kAllAccess =
    IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;

// Two connected endpoints, and short ways to post and poll.
class FakeVerbs : public ::testing::Test {
 protected:
  FakeVerbs() {
    fake::Reset();
    device_.emplace(Device::Open("fake0"));
  }
  ~FakeVerbs() override {
    a_.reset();
    b_.reset();
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
  }

  void Connect(std::string_view type, int access = kAllAccess) {
    EndpointOptions options;
    options.type = &FindQpType(type);
    options.gid = device_->info().ports[0].gids[1];
    options.send_depth = options.recv_depth = kDepth;
    options.inline_wish = 32;
    options.attributes.read_depth = 4;
    options.memory_kind = &FindMemoryKind("host");
    options.exposed_bytes = 4096;
    options.access = access;
    a_.emplace(*device_, options);
    b_.emplace(*device_, options);
    a_->Connect(b_->Local());
    b_->Connect(a_->Local());
    type_ = options.type;
  }

  // A request of `a` on the first `bytes` of both regions.
  ibv_send_wr Request(ibv_wr_opcode opcode, std::uint32_t bytes,
                      unsigned flags = IBV_SEND_SIGNALED) {
    sge_ = {a_->memory().addr(), bytes, a_->memory().lkey()};
    ibv_send_wr wr{};
    wr.wr_id = 77;
    wr.sg_list = &sge_;
    wr.num_sge = 1;
    wr.opcode = opcode;
    wr.send_flags = flags;
    wr.wr.rdma.remote_addr = a_->TargetOf(0).addr;
    wr.wr.rdma.rkey = a_->TargetOf(0).rkey;
    type_->address(wr, a_->TargetOf(0));
    return wr;
  }
  ibv_send_wr Atomic(ibv_wr_opcode opcode, std::uint64_t compare_add, std::uint64_t swap) {
    ibv_send_wr wr = Request(opcode, 8);
    wr.wr.atomic = {a_->TargetOf(0).addr, compare_add, swap, a_->TargetOf(0).rkey};
    return wr;
  }
  int Post(ibv_send_wr wr) {
    ibv_send_wr* bad = nullptr;
    return ibv_post_send(a_->queue_pairs()[0].get(), &wr, &bad);
  }
  int PostReceive(std::uint32_t bytes) {
    ibv_sge sge{b_->memory().addr(), bytes, b_->memory().lkey()};
    ibv_recv_wr wr{.wr_id = 88, .next = nullptr, .sg_list = &sge, .num_sge = 1};
    ibv_recv_wr* bad = nullptr;
    return ibv_post_recv(b_->queue_pairs()[0].get(), &wr, &bad);
  }
  static std::optional<ibv_wc> PollOne(std::span<const Cq> cqs) {
    ibv_wc wc{};
    if (ibv_poll_cq(cqs[0].get(), 1, &wc) != 1) return std::nullopt;
    return wc;
  }
  std::optional<ibv_wc> Sent() { return PollOne(a_->send_cqs()); }
  std::optional<ibv_wc> Received() { return PollOne(b_->recv_cqs()); }
  ibv_wc_status StatusOf(const ibv_send_wr& wr) {
    EXPECT_EQ(Post(wr), 0);
    const std::optional<ibv_wc> wc = Sent();
    EXPECT_TRUE(wc);
    return wc ? wc->status : IBV_WC_GENERAL_ERR;
  }
  static void Fill(const Endpoint& endpoint, std::uint8_t value) {
    std::memset(endpoint.memory().data(), value, endpoint.memory().size());
  }
  static std::uint64_t Word(const Endpoint& endpoint) {
    std::uint64_t word = 0;
    std::memcpy(&word, endpoint.memory().data(), sizeof word);
    return word;
  }
  static void SetWord(const Endpoint& endpoint, std::uint64_t word) {
    std::memcpy(endpoint.memory().data(), &word, sizeof word);
  }

  std::optional<Device> device_;
  std::optional<Endpoint> a_;
  std::optional<Endpoint> b_;
  const QpType* type_ = nullptr;
  ibv_sge sge_{};
};

TEST_F(FakeVerbs, WritesToThePeersMemory) {
  Connect("rc");
  Fill(*a_, 0x42);
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 100)), IBV_WC_SUCCESS);
  EXPECT_EQ(b_->memory().data()[99], std::byte{0x42});
  EXPECT_EQ(b_->memory().data()[100], std::byte{0});
}

TEST_F(FakeVerbs, CompletesOnlySignalledRequests) {
  Connect("rc");
  Post(Request(IBV_WR_RDMA_WRITE, 8, 0));
  EXPECT_FALSE(Sent());
}

TEST_F(FakeVerbs, ReadsThePeersMemory) {
  Connect("rc");
  Fill(*b_, 0x24);
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_READ, 100)), IBV_WC_SUCCESS);
  EXPECT_EQ(a_->memory().data()[99], std::byte{0x24});
}

TEST_F(FakeVerbs, AddsAndFetches) {
  Connect("rc");
  SetWord(*b_, 40);
  EXPECT_EQ(StatusOf(Atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, 2, 0)), IBV_WC_SUCCESS);
  EXPECT_EQ(Word(*a_), 40U);
  EXPECT_EQ(Word(*b_), 42U);
}

TEST_F(FakeVerbs, SwapsWhatIsEqual) {
  Connect("rc");
  SetWord(*b_, 40);
  EXPECT_EQ(StatusOf(Atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 40, 7)), IBV_WC_SUCCESS);
  EXPECT_EQ(Word(*a_), 40U);
  EXPECT_EQ(Word(*b_), 7U);
}

TEST_F(FakeVerbs, FetchesWithoutSwappingWhatDiffers) {
  Connect("rc");
  SetWord(*b_, 41);
  EXPECT_EQ(StatusOf(Atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 40, 7)), IBV_WC_SUCCESS);
  EXPECT_EQ(Word(*a_), 41U);
  EXPECT_EQ(Word(*b_), 41U);
}

TEST_F(FakeVerbs, DeliversASendWithItsImmediate) {
  Connect("rc");
  Fill(*a_, 0x42);
  ASSERT_EQ(PostReceive(256), 0);
  ibv_send_wr wr = Request(IBV_WR_SEND_WITH_IMM, 100);
  wr.imm_data = 5;
  EXPECT_EQ(StatusOf(wr), IBV_WC_SUCCESS);
  const std::optional<ibv_wc> wc = Received();
  ASSERT_TRUE(wc);
  EXPECT_EQ(wc->opcode, IBV_WC_RECV);
  EXPECT_EQ(wc->wr_id, 88U);
  EXPECT_EQ(wc->byte_len, 100U);
  EXPECT_EQ(wc->imm_data, 5U);
  EXPECT_EQ(b_->memory().data()[99], std::byte{0x42});
}

TEST_F(FakeVerbs, DeliversTheImmediateOfAWrite) {
  Connect("rc");
  ASSERT_EQ(PostReceive(0), 0);
  ibv_send_wr wr = Request(IBV_WR_RDMA_WRITE_WITH_IMM, 100);
  wr.imm_data = 9;
  EXPECT_EQ(StatusOf(wr), IBV_WC_SUCCESS);
  const std::optional<ibv_wc> wc = Received();
  ASSERT_TRUE(wc);
  EXPECT_EQ(wc->opcode, IBV_WC_RECV_RDMA_WITH_IMM);
  EXPECT_EQ(wc->byte_len, 100U);
}

TEST_F(FakeVerbs, PutsDatagramsBehindTheGrh) {
  Connect("ud");
  Fill(*a_, 0x42);
  ASSERT_EQ(PostReceive(40 + 100), 0);
  EXPECT_EQ(StatusOf(Request(IBV_WR_SEND, 100)), IBV_WC_SUCCESS);
  const std::optional<ibv_wc> wc = Received();
  ASSERT_TRUE(wc);
  EXPECT_EQ(wc->byte_len, 140U);
  EXPECT_TRUE(wc->wc_flags & IBV_WC_GRH);
  EXPECT_EQ(wc->src_qp, a_->Local().queue_pairs[0].qpn);
  EXPECT_EQ(b_->memory().data()[39], std::byte{0});
  EXPECT_EQ(b_->memory().data()[40], std::byte{0x42});
}

TEST_F(FakeVerbs, RefusesMorePiecesThanTheQueuePairWasMadeFor) {
  Connect("rc");
  ibv_send_wr wr = Request(IBV_WR_RDMA_WRITE, 8);
  wr.num_sge = 2;
  EXPECT_EQ(Post(wr), EINVAL);
}

TEST_F(FakeVerbs, RefusesASendWithoutReceive) {
  Connect("rc");
  EXPECT_EQ(StatusOf(Request(IBV_WR_SEND, 8)), IBV_WC_RNR_RETRY_EXC_ERR);
}

TEST_F(FakeVerbs, LosesAnUnreliableSendWithoutReceive) {
  for (const char* type : {"uc", "ud"}) {
    Connect(type);
    EXPECT_EQ(StatusOf(Request(IBV_WR_SEND, 8)), IBV_WC_SUCCESS) << type;
    EXPECT_FALSE(Received());
  }
}

TEST_F(FakeVerbs, FailsBothSidesOfASendThatIsTooLong) {
  Connect("rc");
  ASSERT_EQ(PostReceive(4), 0);
  EXPECT_EQ(StatusOf(Request(IBV_WR_SEND, 8)), IBV_WC_REM_INV_REQ_ERR);
  const std::optional<ibv_wc> wc = Received();
  ASSERT_TRUE(wc);
  EXPECT_EQ(wc->status, IBV_WC_LOC_LEN_ERR);
}

TEST_F(FakeVerbs, RefusesAForeignKey) {
  Connect("rc");
  ibv_send_wr wr = Request(IBV_WR_RDMA_WRITE, 8);
  wr.wr.rdma.rkey = b_->memory().lkey();
  EXPECT_EQ(StatusOf(wr), IBV_WC_REM_ACCESS_ERR);
}

TEST_F(FakeVerbs, RefusesARegionOfAnotherDomain) {
  Connect("rc");
  ibv_send_wr wr = Request(IBV_WR_RDMA_WRITE, 8);
  wr.wr.rdma = {a_->memory().addr(), a_->memory().rkey()};
  EXPECT_EQ(StatusOf(wr), IBV_WC_REM_ACCESS_ERR);
}

TEST_F(FakeVerbs, RefusesARangeBeyondTheRegion) {
  Connect("rc");
  ibv_send_wr wr = Request(IBV_WR_RDMA_WRITE, 8);
  wr.wr.rdma.remote_addr += 4096 - 7;
  EXPECT_EQ(StatusOf(wr), IBV_WC_REM_ACCESS_ERR);
}

TEST_F(FakeVerbs, RefusesAccessThatWasNotGiven) {
  Connect("rc", IBV_ACCESS_REMOTE_WRITE);
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_READ, 8)), IBV_WC_REM_ACCESS_ERR);
}

TEST_F(FakeVerbs, RefusesALocalRangeBeyondTheRegion) {
  Connect("rc");
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 5000)), IBV_WC_LOC_PROT_ERR);
}

TEST_F(FakeVerbs, RefusesOperationsThatATypeDoesNotHave) {
  Connect("uc");
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_READ, 8)), EINVAL);
  Connect("ud");
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), EINVAL);
}

TEST_F(FakeVerbs, RefusesInlineBeyondTheGrant) {
  Connect("rc");
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 32, IBV_SEND_INLINE)), 0);
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 33, IBV_SEND_INLINE)), EINVAL);
}

TEST_F(FakeVerbs, TimesOutWhenThePeerIsGone) {
  Connect("rc");
  b_.reset();
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8)), IBV_WC_RETRY_EXC_ERR);
}

TEST_F(FakeVerbs, HoldsUnsignalledRequestsUntilALaterOneIsPolled) {
  Connect("rc");
  for (std::uint32_t i = 0; i + 1 < kDepth; ++i) {
    ASSERT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8, 0)), 0);
  }
  ASSERT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), 0);
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), ENOMEM);
  ASSERT_TRUE(Sent());
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), 0);
}

TEST_F(FakeVerbs, PointsAtTheRequestOfAChainThatDidNotFit) {
  Connect("rc");
  std::vector<ibv_send_wr> chain(kDepth + 1, Request(IBV_WR_RDMA_WRITE, 8));
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) chain[i].next = &chain[i + 1];
  ibv_send_wr* bad = nullptr;
  EXPECT_EQ(ibv_post_send(a_->queue_pairs()[0].get(), chain.data(), &bad), ENOMEM);
  EXPECT_EQ(bad, &chain.back());
}

TEST_F(FakeVerbs, BoundsTheReceiveQueue) {
  Connect("rc");
  for (std::uint32_t i = 0; i < kDepth; ++i) ASSERT_EQ(PostReceive(8), 0);
  EXPECT_EQ(PostReceive(8), ENOMEM);
}

TEST_F(FakeVerbs, FlushesEverythingAfterAnError) {
  Connect("rc");
  fake::Inject({.error_at_message = 2, .error_status = IBV_WC_REM_OP_ERR});
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8)), IBV_WC_SUCCESS);
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8, 0)), IBV_WC_REM_OP_ERR);
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8, 0)), IBV_WC_WR_FLUSH_ERR);
}

TEST_F(FakeVerbs, FlushesReceivesWhenTheQueuePairFails) {
  Connect("rc");
  ASSERT_EQ(PostReceive(8), 0);
  ibv_qp_attr attr{};
  attr.qp_state = IBV_QPS_ERR;
  ASSERT_EQ(ibv_modify_qp(b_->queue_pairs()[0].get(), &attr, IBV_QP_STATE), 0);
  const std::optional<ibv_wc> wc = Received();
  ASSERT_TRUE(wc);
  EXPECT_EQ(wc->status, IBV_WC_WR_FLUSH_ERR);
}

TEST_F(FakeVerbs, StallsFromTheMessageThatWasNamed) {
  Connect("rc");
  fake::Inject({.stall_at_message = 2});
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8)), IBV_WC_SUCCESS);
  Fill(*a_, 0x42);
  for (std::uint32_t i = 0; i < kDepth; ++i) ASSERT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), 0);
  EXPECT_FALSE(Sent());
  EXPECT_EQ(b_->memory().data()[0], std::byte{0});
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), ENOMEM);
}

TEST_F(FakeVerbs, FailsTheCallThatWasNamed) {
  Connect("rc");
  fake::Inject({.failing_call = "ibv_post_send", .failing_errno = EIO, .failing_after = 1});
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), 0);
  EXPECT_EQ(Post(Request(IBV_WR_RDMA_WRITE, 8)), EIO);
}

// Two hosts that share nothing but the wire: 10.0.0.1 and 10.0.0.2.
class FakeNetwork : public FakeVerbs {
 protected:
  FakeNetwork() {
    device_.reset();
    fake::Reset({{.name = "fake0", .gids = {{"::ffff:10.0.0.1"}}},
                 {.name = "fake1", .gids = {{"::ffff:10.0.0.2"}}}});
    device_.emplace(Device::Open("fake0"));
    other_.emplace(Device::Open("fake1"));
    type_ = &FindQpType("rc");
    Make(a_, *device_);
    Make(b_, *other_);
  }
  ~FakeNetwork() override {
    a_.reset();
    b_.reset();
    other_.reset();
  }

 private:
  void Make(std::optional<Endpoint>& endpoint, const Device& device) const {
    EndpointOptions options;
    options.type = type_;
    options.memory_kind = &FindMemoryKind("host");
    options.exposed_bytes = 4096;
    options.access = kAllAccess;
    options.gid = device.info().ports[0].gids[0];
    endpoint.emplace(device, options);
  }
  std::optional<Device> other_;
};

TEST_F(FakeNetwork, JoinsDevicesByTheirAddresses) {
  a_->Connect(b_->Local());
  b_->Connect(a_->Local());
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8)), IBV_WC_SUCCESS);
}

TEST_F(FakeNetwork, LosesWhatIsAddressedToNobody) {
  PeerInfo lost = b_->Local();
  lost.gid->raw[15] = 9;
  a_->Connect(lost);
  b_->Connect(a_->Local());
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8)), IBV_WC_RETRY_EXC_ERR);
}

TEST_F(FakeNetwork, LosesWhatIsNumberedOtherwiseThanThePeerExpects) {
  PeerInfo wrong = a_->Local();
  wrong.queue_pairs[0].psn ^= 1;
  a_->Connect(b_->Local());
  b_->Connect(wrong);
  EXPECT_EQ(StatusOf(Request(IBV_WR_RDMA_WRITE, 8)), IBV_WC_RETRY_EXC_ERR);
}

}  // namespace
}  // namespace rdmabench
