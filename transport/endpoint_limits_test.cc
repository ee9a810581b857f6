#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "transport/device.h"
#include "transport/endpoint.h"
#include "transport/error.h"
#include "transport/fake_verbs.h"
#include "transport/memory.h"
#include "transport/qp_type.h"

namespace rdmabench {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Property;
using ::testing::Throws;
using ::testing::ThrowsMessage;

// What an endpoint asks of its device before there is a peer.
class EndpointSetup : public ::testing::Test {
 protected:
  EndpointSetup() { Use({}); }
  ~EndpointSetup() override {
    device_.reset();
    EXPECT_EQ(fake::LiveObjects(), 0U);
  }

  void Use(const fake::FakeDevice& device) {
    device_.reset();
    fake::Reset({device});
    device_.emplace(Device::Open("fake0"));
  }
  const Device& device() const { return *device_; }
  EndpointOptions Options() const {
    EndpointOptions options;
    options.type = &FindQpType("rc");
    options.gid = device_->info().ports.front().gids.at(1);
    options.memory_kind = &FindMemoryKind("host");
    options.exposed_bytes = 4096;
    options.access = IBV_ACCESS_REMOTE_WRITE;
    return options;
  }

 private:
  std::optional<Device> device_;
};

struct Excess {
  const char* name;
  void (*ask)(EndpointOptions&);
  const char* complaint;
};

class EndpointLimits : public EndpointSetup, public ::testing::WithParamInterface<Excess> {};
INSTANTIATE_TEST_SUITE_P(
    Table, EndpointLimits,
    ::testing::Values(
        Excess{"queue_pairs", [](EndpointOptions& o) { o.queue_pairs = 5000; },
               "5000 queue pairs were asked for, and the device allows 4096 (max_qp)"},
        Excess{"send_depth", [](EndpointOptions& o) { o.send_depth = 20000; },
               "20000 requests a queue were asked for, and the device allows 16384 (max_qp_wr)"},
        Excess{"recv_depth", [](EndpointOptions& o) { o.recv_depth = 20000; }, "(max_qp_wr)"},
        Excess{"read_depth", [](EndpointOptions& o) { o.attributes.read_depth = 17; },
               "17 outstanding reads were asked for, and the device allows 16"}),
    [](const auto& test) { return test.param.name; });

TEST_P(EndpointLimits, AreNamedWithTheNumbersAskedAndAllowed) {
  EndpointOptions options = Options();
  GetParam().ask(options);
  EXPECT_THAT([&] { Endpoint(device(), options); },
              ThrowsMessage<Error>(HasSubstr(GetParam().complaint)));
}

TEST_F(EndpointSetup, RefusesADepthBeyondOneCompletionQueue) {
  fake::FakeDevice device_with_small_cq;
  device_with_small_cq.max_cqe = 100;
  Use(device_with_small_cq);
  EndpointOptions options = Options();
  EXPECT_THAT([&] { Endpoint(device(), options); },
              ThrowsMessage<Error>(HasSubstr("allows 100 (max_cqe)")));
}

std::vector<int> SizesOf(std::span<const Cq> cqs) {
  std::vector<int> sizes;
  for (const Cq& cq : cqs) sizes.push_back(cq->cqe);
  return sizes;
}

TEST_F(EndpointSetup, HasOneCompletionQueueWhereAllRequestsFit) {
  EndpointOptions options = Options();
  options.queue_pairs = 4;
  options.recv_depth = 16;
  const Endpoint endpoint(device(), options);
  EXPECT_THAT(SizesOf(endpoint.send_cqs()), ElementsAre(512));
  EXPECT_THAT(SizesOf(endpoint.recv_cqs()), ElementsAre(64));
}

TEST_F(EndpointSetup, SplitsCompletionQueuesAtTheirLimit) {
  fake::FakeDevice small;
  small.max_cqe = 300;
  Use(small);
  EndpointOptions options = Options();
  options.queue_pairs = 5;
  const Endpoint endpoint(device(), options);
  EXPECT_THAT(SizesOf(endpoint.send_cqs()), ElementsAre(256, 256, 128));
  EXPECT_THAT(SizesOf(endpoint.recv_cqs()), ElementsAre(5));
}

// Which of the queues each queue pair has.
std::vector<std::size_t> Dealt(const Endpoint& endpoint, ibv_cq* ibv_qp::*own,
                               std::span<const Cq> cqs) {
  std::vector<std::size_t> dealt;
  for (const Qp& qp : endpoint.queue_pairs()) {
    for (std::size_t i = 0; i < cqs.size(); ++i) {
      if (cqs[i].get() == qp.get()->*own) dealt.push_back(i);
    }
  }
  return dealt;
}

TEST_F(EndpointSetup, DealsQueuePairsInRuns) {
  fake::FakeDevice small;
  small.max_cqe = 300;
  Use(small);
  EndpointOptions options = Options();
  options.queue_pairs = 5;
  options.recv_depth = 60;
  const Endpoint endpoint(device(), options);
  EXPECT_THAT(Dealt(endpoint, &ibv_qp::send_cq, endpoint.send_cqs()), ElementsAre(0, 0, 1, 1, 2));
  EXPECT_THAT(Dealt(endpoint, &ibv_qp::recv_cq, endpoint.recv_cqs()), ElementsAre(0, 0, 0, 0, 0));
}

TEST_F(EndpointSetup, DealsReceivesInRunsOfTheirOwn) {
  fake::FakeDevice small;
  small.max_cqe = 300;
  Use(small);
  EndpointOptions options = Options();
  options.queue_pairs = 4;
  options.recv_depth = 150;
  options.send_depth = 75;
  const Endpoint endpoint(device(), options);
  EXPECT_THAT(Dealt(endpoint, &ibv_qp::send_cq, endpoint.send_cqs()), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Dealt(endpoint, &ibv_qp::recv_cq, endpoint.recv_cqs()), ElementsAre(0, 0, 1, 1));
}

TEST_F(EndpointSetup, TakesAsMuchOfTheInlineWishAsIsGranted) {
  EndpointOptions options = Options();
  options.inline_wish = 220;
  EXPECT_EQ(Endpoint(device(), options).inline_bytes(), 64U);
}

TEST_F(EndpointSetup, TakesTheWholeInlineWishWhereItIsGranted) {
  EndpointOptions options = Options();
  options.inline_wish = 64;
  EXPECT_EQ(Endpoint(device(), options).inline_bytes(), 64U);
}

TEST_F(EndpointSetup, GoesWithoutInlineWhereNoneIsGranted) {
  fake::FakeDevice without;
  without.max_inline = 0;
  Use(without);
  EndpointOptions options = Options();
  options.inline_wish = 220;
  EXPECT_EQ(Endpoint(device(), options).inline_bytes(), 0U);
}

TEST_F(EndpointSetup, NamesTheInlineSizeThatIsGrantedWhenMoreWasAskedFor) {
  EndpointOptions options = Options();
  options.inline_bytes = 500;
  EXPECT_THAT([&] { Endpoint(device(), options); },
              ThrowsMessage<Error>(HasSubstr("500 bytes inline were asked for, and the device "
                                             "grants 64")));
}

TEST_F(EndpointSetup, DoesNotBlameInlineForAnotherFailure) {
  EndpointOptions options = Options();
  options.inline_bytes = 16;
  fake::Inject({.failing_call = "ibv_create_qp", .failing_errno = EPERM});
  EXPECT_THAT([&] { Endpoint(device(), options); },
              ThrowsMessage<Error>(AllOf(HasSubstr("cannot create rc queue pair 1 of 1"),
                                         HasSubstr("Operation not permitted"))));
}

TEST_F(EndpointSetup, AsksForRelaxedOrderingOnlyWhenTold) {
  EndpointOptions options = Options();
  constexpr int kFlag = static_cast<int>(IBV_ACCESS_RELAXED_ORDERING);
  EXPECT_EQ(fake::AccessOf(Endpoint(device(), options).memory().rkey()) & kFlag, 0);
  options.relaxed_ordering = true;
  EXPECT_EQ(fake::AccessOf(Endpoint(device(), options).memory().rkey()) & kFlag, kFlag);
}

class FailingCall : public EndpointSetup, public ::testing::WithParamInterface<const char*> {};
INSTANTIATE_TEST_SUITE_P(Verbs, FailingCall,
                         ::testing::Values("ibv_alloc_pd", "ibv_reg_mr", "ibv_create_cq",
                                           "ibv_create_qp", "ibv_modify_qp:init"));

TEST_P(FailingCall, LeavesNothingBehind) {
  EndpointOptions options = Options();
  options.queue_pairs = 3;
  const std::size_t before = fake::LiveObjects();
  fake::Inject({.failing_call = GetParam()});
  EXPECT_THAT([&] { Endpoint(device(), options); },
              Throws<Error>(Property(&Error::blame, Blame::kEnvironment)));
  EXPECT_EQ(fake::LiveObjects(), before);
}

}  // namespace
}  // namespace rdmabench
