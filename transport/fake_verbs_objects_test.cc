#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <memory>

#include "transport/fake_verbs.h"
#include "transport/handle.h"

namespace rdmabench {
namespace {

using Channel = std::unique_ptr<ibv_comp_channel, Deleter<ibv_destroy_comp_channel>>;

Context OpenFake() {
  fake::Reset();
  const DeviceList list(ibv_get_device_list(nullptr));
  return Context(ibv_open_device(list[0]));
}

// The verbs without anything of ours above them.
class FakeVerbsObjects : public ::testing::Test {
 protected:
  Qp MakeQp(const Cq& cq, ibv_qp_type type) const {
    ibv_qp_init_attr init{};
    init.send_cq = init.recv_cq = cq.get();
    init.qp_type = type;
    init.cap = {4, 4, 2, 2, 0};
    return Qp(ibv_create_qp(pd_.get(), &init));
  }
  Cq MakeCq(int entries, ibv_comp_channel* channel = nullptr) {
    return Cq(ibv_create_cq(context_.get(), entries, this, channel, 0));
  }
  static int Move(const Qp& qp, ibv_qp_state state, int mask) {
    ibv_qp_attr attr{};
    attr.qp_state = state;
    attr.port_num = 1;
    attr.path_mtu = IBV_MTU_1024;
    attr.dest_qp_num = qp->qp_num;
    attr.qp_access_flags = IBV_ACCESS_REMOTE_WRITE;
    attr.ah_attr.port_num = 1;
    attr.ah_attr.is_global = 1;
    ibv_query_gid(qp->context, 1, 0, &attr.ah_attr.grh.dgid);
    return ibv_modify_qp(qp.get(), &attr, IBV_QP_STATE | mask);
  }
  static int PostReceive(const Qp& qp) {
    ibv_recv_wr wr{.wr_id = 1, .next = nullptr, .sg_list = nullptr, .num_sge = 0};
    ibv_recv_wr* bad = nullptr;
    return ibv_post_recv(qp.get(), &wr, &bad);
  }

  Context context_ = OpenFake();
  Pd pd_{ibv_alloc_pd(context_.get())};
};

TEST_F(FakeVerbsObjects, NoticesAnOverrunCompletionQueue) {
  const Cq cq = MakeCq(1);
  const Qp qp = MakeQp(cq, IBV_QPT_UD);
  ASSERT_EQ(Move(qp, IBV_QPS_ERR, 0), 0);
  ASSERT_EQ(PostReceive(qp), 0);
  EXPECT_FALSE(fake::AnyOverrun());
  ASSERT_EQ(PostReceive(qp), 0);
  EXPECT_TRUE(fake::AnyOverrun());
}

TEST_F(FakeVerbsObjects, RefusesATransitionThatLacksAnAttribute) {
  const Cq cq = MakeCq(8);
  EXPECT_EQ(Move(MakeQp(cq, IBV_QPT_RC), IBV_QPS_INIT, IBV_QP_PORT | IBV_QP_PKEY_INDEX), EINVAL);
}

TEST_F(FakeVerbsObjects, RefusesATransitionThatSetsWhatItsTypeDoesNotHave) {
  const Cq cq = MakeCq(8);
  EXPECT_EQ(Move(MakeQp(cq, IBV_QPT_RC), IBV_QPS_INIT,
                 IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS | IBV_QP_QKEY),
            EINVAL);
}

TEST_F(FakeVerbsObjects, RefusesToCloseADeviceInUse) {
  EXPECT_EQ(ibv_close_device(context_.get()), EBUSY);
}

TEST_F(FakeVerbsObjects, RefusesToDestroyACompletionQueueInUse) {
  const Cq cq = MakeCq(8);
  const Qp qp = MakeQp(cq, IBV_QPT_RC);
  EXPECT_EQ(ibv_destroy_cq(cq.get()), EBUSY);
}

TEST_F(FakeVerbsObjects, ForgetsTheCompletionsOfADestroyedQueuePair) {
  const Cq cq = MakeCq(8);
  {
    const Qp qp = MakeQp(cq, IBV_QPT_UD);
    ASSERT_EQ(Move(qp, IBV_QPS_ERR, 0), 0);
    ASSERT_EQ(PostReceive(qp), 0);
  }
  ibv_wc wc{};
  EXPECT_EQ(ibv_poll_cq(cq.get(), 1, &wc), 0);
}

TEST_F(FakeVerbsObjects, CountsWhatIsAlive) {
  EXPECT_EQ(fake::LiveObjects(), 2U);
  const Cq cq = MakeCq(8);
  const Qp qp = MakeQp(cq, IBV_QPT_RC);
  EXPECT_EQ(fake::LiveObjects(), 4U);
}

TEST_F(FakeVerbsObjects, GivesAnErrnoWithoutRegisteringRemoteWritesThatAreNotLocal) {
  std::array<std::byte, 8> bytes{};
  errno = 0;
  EXPECT_EQ(ibv_reg_mr(pd_.get(), bytes.data(), bytes.size(), IBV_ACCESS_REMOTE_WRITE), nullptr);
  EXPECT_EQ(errno, EINVAL);
}

TEST_F(FakeVerbsObjects, WakesAChannel) {
  const Channel channel(ibv_create_comp_channel(context_.get()));
  const Cq cq = MakeCq(8, channel.get());
  const Qp qp = MakeQp(cq, IBV_QPT_UD);
  ASSERT_EQ(Move(qp, IBV_QPS_ERR, 0), 0);
  ASSERT_EQ(ibv_req_notify_cq(cq.get(), 0), 0);
  ASSERT_EQ(PostReceive(qp), 0);
  ibv_cq* woken = nullptr;
  void* cq_context = nullptr;
  ASSERT_EQ(ibv_get_cq_event(channel.get(), &woken, &cq_context), 0);
  EXPECT_EQ(woken, cq.get());
  EXPECT_EQ(cq_context, this);
}

TEST_F(FakeVerbsObjects, GathersThePiecesOfARequest) {
  const Cq cq = MakeCq(8);
  const Qp qp = MakeQp(cq, IBV_QPT_RC);
  ASSERT_EQ(Move(qp, IBV_QPS_INIT, IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS), 0);
  ASSERT_EQ(Move(qp, IBV_QPS_RTR,
                 IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                     IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
            0);
  ASSERT_EQ(Move(qp, IBV_QPS_RTS,
                 IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                     IBV_QP_MAX_QP_RD_ATOMIC),
            0);
  std::array<std::uint8_t, 8> bytes{1, 2, 3, 4, 0, 0, 0, 0};
  const Mr mr(ibv_reg_mr(pd_.get(), bytes.data(), bytes.size(),
                         IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
  const std::uint64_t base = reinterpret_cast<std::uintptr_t>(bytes.data());
  std::array<ibv_sge, 2> pieces{{{base + 2, 2, mr->lkey}, {base, 1, mr->lkey}}};
  ibv_send_wr wr{};
  wr.sg_list = pieces.data();
  wr.num_sge = 2;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.wr.rdma.remote_addr = base + 4;
  wr.wr.rdma.rkey = mr->rkey;
  ibv_send_wr* bad = nullptr;
  ASSERT_EQ(ibv_post_send(qp.get(), &wr, &bad), 0);
  EXPECT_THAT(bytes, ::testing::ElementsAre(1, 2, 3, 4, 3, 4, 1, 0));
}

}  // namespace
}  // namespace rdmabench
