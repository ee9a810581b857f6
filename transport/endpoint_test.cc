#include "transport/endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "transport/device.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/gid.h"
#include "transport/handle.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

EndpointOptions Options(std::string_view type = "rc") {
  EndpointOptions options;
  options.type = &FindQpType(type);
  options.memory_kind = &FindMemoryKind("host");
  options.exposed_bytes = 4096;
  options.access = IBV_ACCESS_REMOTE_WRITE;
  return options;
}

fake::FakeDevice InfiniBand(bool grh_required) {
  return {.name = "fake0",
          .link_layer = IBV_LINK_LAYER_INFINIBAND,
          .lid = 7,
          .grh_required = grh_required,
          .gids = {{"fe80::7", IBV_GID_TYPE_IB}}};
}

// Both endpoints of a run on one device, in one process.
class EndpointTest : public ::testing::Test {
 protected:
  explicit EndpointTest(const fake::FakeDevice& device = {}) { Use(device); }
  ~EndpointTest() override {
    client_.reset();
    server_.reset();
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
    EXPECT_FALSE(fake::AnyOverrun());
  }

  void Use(const fake::FakeDevice& device) {
    device_.reset();
    fake::Reset({device});
    device_.emplace(Device::Open("fake0"));
  }
  const Device& device() const { return *device_; }
  Gid gid(std::size_t index) const { return device_->info().ports.front().gids.at(index); }

  void Connect(const EndpointOptions& options) {
    client_.emplace(*device_, options);
    server_.emplace(*device_, options);
    client_->Connect(server_->Local());
    server_->Connect(client_->Local());
  }
  Endpoint& client() { return *client_; }
  Endpoint& server() { return *server_; }
  ibv_qp_attr ClientAttributes() const {
    return fake::AttributesOf(client_->Local().queue_pairs.front().qpn);
  }

 private:
  std::optional<Device> device_;
  std::optional<Endpoint> client_;
  std::optional<Endpoint> server_;
};

class EachQpType : public EndpointTest, public ::testing::WithParamInterface<QpType> {
 protected:
  EndpointOptions Own() const {
    EndpointOptions options = Options(GetParam().name);
    options.gid = gid(1);
    options.queue_pairs = 3;
    options.attributes = {.service_level = 3,
                          .traffic_class = 104,
                          .flow_labels = {5},
                          .hop_limit = 9,
                          .pkey_index = 0,
                          .timeout = 17,
                          .retry_count = 4,
                          .rnr_retry = 2,
                          .min_rnr_timer = 6,
                          .read_depth = 11,
                          .qkey = 0x1234};
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Rows, EachQpType, ::testing::ValuesIn(QpTypes().begin(), QpTypes().end()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(EachQpType, UsesTheMasksOfItsRow) {
  Connect(Own());
  for (const Qp& qp : client().queue_pairs()) {
    EXPECT_EQ(fake::MaskOf(qp->qp_num, IBV_QPS_INIT), GetParam().init_mask);
    EXPECT_EQ(fake::MaskOf(qp->qp_num, IBV_QPS_RTR), GetParam().rtr_mask);
    EXPECT_EQ(fake::MaskOf(qp->qp_num, IBV_QPS_RTS), GetParam().rts_mask);
  }
}

TEST_P(EachQpType, EndsReadyToSend) {
  Connect(Own());
  for (const Qp& qp : client().queue_pairs()) EXPECT_EQ(qp->state, IBV_QPS_RTS);
}

TEST_P(EachQpType, PassesThePathOn) {
  Connect(Own());
  const ibv_ah* handle = client().TargetOf(0).ah;
  const ibv_ah_attr path = handle != nullptr ? fake::AddressOf(handle) : ClientAttributes().ah_attr;
  EXPECT_EQ(path.is_global, 1);
  EXPECT_EQ(path.sl, 3);
  EXPECT_EQ(path.grh.traffic_class, 104);
  EXPECT_EQ(path.grh.flow_label, 5U);
  EXPECT_EQ(path.grh.hop_limit, 9);
  EXPECT_EQ(path.grh.sgid_index, 1);
  EXPECT_EQ(GidText(path.grh.dgid), "::ffff:127.0.0.1");
}

TEST_P(EachQpType, HasAnAddressHandleWhenItsQueuePairsHaveNoPath) {
  Connect(Own());
  EXPECT_EQ(client().TargetOf(0).ah != nullptr, (GetParam().rtr_mask & IBV_QP_AV) == 0);
}

TEST_P(EachQpType, PassesOnWhatItsMasksName) {
  Connect(Own());
  const ibv_qp_attr attr = ClientAttributes();
  const int mask = GetParam().init_mask | GetParam().rtr_mask | GetParam().rts_mask;
  const auto expected = [mask](int bit, unsigned value) { return (mask & bit) != 0 ? value : 0; };
  EXPECT_EQ(attr.timeout, expected(IBV_QP_TIMEOUT, 17));
  EXPECT_EQ(attr.retry_cnt, expected(IBV_QP_RETRY_CNT, 4));
  EXPECT_EQ(attr.rnr_retry, expected(IBV_QP_RNR_RETRY, 2));
  EXPECT_EQ(attr.min_rnr_timer, expected(IBV_QP_MIN_RNR_TIMER, 6));
  EXPECT_EQ(attr.max_rd_atomic, expected(IBV_QP_MAX_QP_RD_ATOMIC, 11));
  EXPECT_EQ(attr.max_dest_rd_atomic, expected(IBV_QP_MAX_DEST_RD_ATOMIC, 11));
  EXPECT_EQ(attr.qkey, expected(IBV_QP_QKEY, 0x1234));
  EXPECT_EQ(attr.qp_access_flags, expected(IBV_QP_ACCESS_FLAGS, IBV_ACCESS_REMOTE_WRITE));
  EXPECT_EQ(attr.path_mtu, expected(IBV_QP_PATH_MTU, IBV_MTU_1024));
}

TEST_P(EachQpType, JoinsQueuePairsOfEqualIndex) {
  Connect(Own());
  const PeerInfo ours = client().Local();
  const PeerInfo theirs = server().Local();
  for (std::uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(client().TargetOf(i).qpn, theirs.queue_pairs[i].qpn);
    const ibv_qp_attr attr = fake::AttributesOf(ours.queue_pairs[i].qpn);
    EXPECT_EQ(attr.sq_psn, ours.queue_pairs[i].psn);
    if ((GetParam().rtr_mask & IBV_QP_DEST_QPN) == 0) continue;
    EXPECT_EQ(attr.dest_qp_num, theirs.queue_pairs[i].qpn);
    EXPECT_EQ(attr.rq_psn, theirs.queue_pairs[i].psn);
  }
}

TEST_P(EachQpType, CarriesAMessage) {
  const bool one_sided = (GetParam().init_mask & IBV_QP_ACCESS_FLAGS) != 0;
  Connect(Own());
  client().memory().data()[0] = std::byte{0x42};
  ibv_sge received{server().memory().addr(), 64, server().memory().lkey()};
  ibv_recv_wr recv{.wr_id = 1, .next = nullptr, .sg_list = &received, .num_sge = 1};
  ibv_recv_wr* bad_recv = nullptr;
  ASSERT_EQ(ibv_post_recv(server().queue_pairs()[0].get(), &recv, &bad_recv), 0);

  ibv_sge sent{client().memory().addr(), 1, client().memory().lkey()};
  ibv_send_wr wr{};
  wr.sg_list = &sent;
  wr.num_sge = 1;
  wr.send_flags = IBV_SEND_SIGNALED;
  const Target target = client().TargetOf(0);
  wr.opcode = one_sided ? IBV_WR_RDMA_WRITE : IBV_WR_SEND;
  wr.wr.rdma.remote_addr = target.addr;
  wr.wr.rdma.rkey = target.rkey;
  GetParam().address(wr, target);
  ibv_send_wr* bad = nullptr;
  ASSERT_EQ(ibv_post_send(client().queue_pairs()[0].get(), &wr, &bad), 0);

  ibv_wc wc{};
  ASSERT_EQ(ibv_poll_cq(client().send_cqs()[0].get(), 1, &wc), 1);
  EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
  EXPECT_EQ(server().memory().data()[GetParam().recv_headroom], std::byte{0x42});
}

// As device memory is.
TEST_F(EndpointTest, HasNoAddressForTheProcessorWhereMemoryHasNone) {
  static std::byte behind[8192];
  MemoryKind kind = FindMemoryKind("host");
  kind.allocate = [](ibv_pd* /*pd*/, const BufferRequest& request) {
    return Buffer(nullptr, request.bytes, [] {});
  };
  kind.register_with = [](ibv_pd* pd, const Buffer& buffer, int access) {
    return Registration{.mr = Mr(ibv_reg_mr(pd, behind, buffer.size(), access)), .iova = 0};
  };
  kind.fill = [](const Buffer& /*buffer*/, std::byte /*value*/) {};
  EndpointOptions options = Options();
  options.gid = gid(1);
  options.memory_kind = &kind;
  options.own_bytes = options.exposed_bytes = 4096;
  const Endpoint endpoint(device(), options);
  EXPECT_EQ(endpoint.own_data(), nullptr);
  EXPECT_EQ(endpoint.exposed_data(), nullptr);
  EXPECT_EQ(endpoint.exposed_addr(), 4096U);
}

TEST_F(EndpointTest, DrawsPacketNumbersOf24Bits) {
  EndpointOptions options = Options();
  options.gid = gid(1);
  options.queue_pairs = 64;
  std::set<std::uint32_t> psns;
  for (const PeerInfo::QueuePair& pair : Endpoint(device(), options).Local().queue_pairs) {
    EXPECT_LT(pair.psn, 0x1000000U);
    psns.insert(pair.psn);
  }
  EXPECT_GT(psns.size(), 60U);
}

TEST_F(EndpointTest, AddressesInfiniBandByLidAlone) {
  Use(InfiniBand(false));
  Connect(Options());
  EXPECT_EQ(client().Local().lid, 7);
  EXPECT_FALSE(client().Local().gid);
  EXPECT_EQ(ClientAttributes().ah_attr.dlid, 7);
  EXPECT_EQ(ClientAttributes().ah_attr.is_global, 0);
}

TEST_F(EndpointTest, AddressesInfiniBandByLidAndGidWhereAGrhIsRequired) {
  Use(InfiniBand(true));
  EndpointOptions options = Options();
  options.gid = gid(0);
  Connect(options);
  EXPECT_EQ(ClientAttributes().ah_attr.dlid, 7);
  EXPECT_EQ(ClientAttributes().ah_attr.is_global, 1);
}

TEST_F(EndpointTest, RefusesAPortThatNeedsAGidWithoutOne) {
  Use(InfiniBand(true));
  EXPECT_THAT([&] { Endpoint(device(), Options()); },
              ThrowsMessage<Error>(HasSubstr("port 1 of fake0 needs a GID")));
}

TEST_F(EndpointTest, RefusesAPeerWithoutLid) {
  Use(InfiniBand(false));
  Endpoint endpoint(device(), Options());
  PeerInfo remote = endpoint.Local();
  remote.lid = 0;
  EXPECT_THAT([&] { endpoint.Connect(remote); },
              ThrowsMessage<Error>(HasSubstr("the peer's port has no LID")));
}

TEST_F(EndpointTest, RefusesAPeerWithoutGid) {
  EndpointOptions options = Options();
  options.gid = gid(1);
  Endpoint endpoint(device(), options);
  PeerInfo remote = endpoint.Local();
  remote.gid.reset();
  EXPECT_THAT([&] { endpoint.Connect(remote); }, ThrowsMessage<Error>(HasSubstr("told none")));
}

TEST_F(EndpointTest, RefusesAnMtuAboveTheActiveOne) {
  EndpointOptions options = Options();
  options.gid = gid(1);
  options.mtu_bytes = 4096;
  EXPECT_THAT([&] { Endpoint(device(), options); },
              ThrowsMessage<Error>(AllOf(HasSubstr("MTU of 4096"), HasSubstr("has 1024 active"))));
}

TEST_F(EndpointTest, NamesBothAddressesAndTheMtuWhenConnectingFails) {
  EndpointOptions options = Options();
  options.gid = gid(1);
  Endpoint endpoint(device(), options);
  fake::Inject({.failing_call = "ibv_modify_qp:rtr", .failing_errno = ETIMEDOUT});
  EXPECT_THAT(
      [&] { endpoint.Connect(endpoint.Local()); },
      ThrowsMessage<Error>(HasSubstr("cannot bring rc queue pair 1 to RTR (GID 1 ::ffff:127.0.0.1 "
                                     "(roce_v2) to ::ffff:127.0.0.1, MTU 1024): ")));
}

TEST_F(EndpointTest, ConnectsAThousandQueuePairs) {
  EndpointOptions options = Options();
  options.gid = gid(1);
  options.queue_pairs = 1024;
  Connect(options);
  std::vector<ibv_qp_state> states;
  for (const Qp& qp : client().queue_pairs()) states.push_back(qp->state);
  EXPECT_THAT(states, Each(IBV_QPS_RTS));
}

// Plays a ball to and fro: it arrives in byte 7 of the own memory, and leaves for the peer's from
// byte 15. `over` ends the game for both when one cannot go on. Returns the rounds played.
int Play(const Endpoint& own, bool serves, std::atomic<bool>& over) {
  constexpr int kRounds = 200;
  ibv_sge sge{own.memory().addr() + 8, 8, own.memory().lkey()};
  ibv_send_wr wr{};
  wr.sg_list = &sge;
  wr.num_sge = 1;
  wr.opcode = IBV_WR_RDMA_WRITE;
  wr.send_flags = IBV_SEND_SIGNALED;
  wr.wr.rdma.remote_addr = own.TargetOf(0).addr;
  wr.wr.rdma.rkey = own.TargetOf(0).rkey;
  std::atomic_ref<std::byte> ball(own.memory().data()[7]);
  int round = 0;
  while (round < kRounds && !over) {
    const std::byte mark{static_cast<unsigned char>(round + 1)};
    const auto await = [&] {
      while (ball.load(std::memory_order_acquire) != mark && !over) std::this_thread::yield();
    };
    if (!serves) await();
    own.memory().data()[15] = mark;
    ibv_send_wr* bad = nullptr;
    ibv_wc wc{};
    if (ibv_post_send(own.queue_pairs()[0].get(), &wr, &bad) != 0 ||
        ibv_poll_cq(own.send_cqs()[0].get(), 1, &wc) != 1 || wc.status != IBV_WC_SUCCESS) {
      over = true;
      break;
    }
    if (serves) await();
    ++round;
  }
  return round;
}

// As a latency run does.
TEST_F(EndpointTest, LetsTwoThreadsAnswerEachOtherByPollingMemory) {
  EndpointOptions options = Options();
  options.gid = gid(1);
  Connect(options);
  std::atomic<bool> over{false};
  int theirs = 0;
  std::thread other([&] { theirs = Play(server(), false, over); });
  const int ours = Play(client(), true, over);
  other.join();
  EXPECT_FALSE(over);
  EXPECT_EQ(ours, theirs);
}

}  // namespace
}  // namespace rdmabench
