#include "bench/event_wait.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "transport/device.h"
#include "transport/fake_verbs.h"

struct pollfd;

namespace {

// What the sleeps of this process do: they take as long as the test says instead of a moment, so
// that a lost wake-up is none that passes unnoticed.
struct Sleeps {
  std::atomic<int> begun{0};
  std::vector<int> asked_ms;
  std::vector<int> results;  // 1: woken; 0: nothing came
  bool patient = true;
};
Sleeps* sleeps = nullptr;

constexpr int kMinuteMs = 60'000;

}  // namespace

// Takes the place of the system's, in this binary.
extern "C" int poll(pollfd* fds, unsigned long count, int timeout_ms) {
  const bool counts = sleeps != nullptr;
  const int ms = counts && sleeps->patient ? kMinuteMs : timeout_ms;
  const timespec limit{.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1'000'000L};
  if (counts) {
    sleeps->asked_ms.push_back(timeout_ms);
    ++sleeps->begun;
  }
  const auto result =
      static_cast<int>(syscall(SYS_ppoll, fds, count, ms < 0 ? nullptr : &limit, nullptr, 0));
  if (counts) sleeps->results.push_back(result);
  return result;
}

namespace rdmabench {
namespace {

using ::testing::Each;

Device OpenFake() {
  fake::Reset();
  return Device::Open("fake0");
}

// An endpoint with a completion channel that receives, and its peer.
class EventWaitTest : public ::testing::Test {
 protected:
  EventWaitTest() {
    EndpointOptions options;
    options.type = &FindQpType("rc");
    options.gid = device_.info().ports.front().gids.front();
    options.send_depth = options.recv_depth = kDepth;
    options.memory_kind = &FindMemoryKind("host");
    options.own_bytes = options.exposed_bytes = 64;
    peer_ = std::make_unique<Endpoint>(device_, options);
    options.events = true;
    endpoint_ = std::make_unique<Endpoint>(device_, options);
    endpoint_->Connect(peer_->Local());
    peer_->Connect(endpoint_->Local());
    for (std::uint32_t i = 0; i < kDepth; ++i) PostReceive(*endpoint_);
    wait_ = std::make_unique<EventWait>(*endpoint_);
    sleeps = &sleeps_;
  }
  ~EventWaitTest() override { sleeps = nullptr; }

  static void PostReceive(const Endpoint& at) {
    ibv_sge piece{.addr = at.exposed_addr(), .length = 64, .lkey = at.memory().lkey()};
    ibv_recv_wr request{.wr_id = 0, .next = nullptr, .sg_list = &piece, .num_sge = 1};
    ibv_recv_wr* bad = nullptr;
    ASSERT_EQ(ibv_post_recv(at.queue_pairs()[0].get(), &request, &bad), 0);
  }
  static void Send(const Endpoint& from) {
    ibv_sge piece{.addr = from.own_addr(), .length = 8, .lkey = from.memory().lkey()};
    ibv_send_wr request{};
    request.sg_list = &piece;
    request.num_sge = 1;
    request.opcode = IBV_WR_SEND;
    request.send_flags = IBV_SEND_SIGNALED;
    ibv_send_wr* bad = nullptr;
    ASSERT_EQ(ibv_post_send(from.queue_pairs()[0].get(), &request, &bad), 0);
  }
  void Arrive() { Send(*peer_); }
  // What a driver does between two waits.
  void Pass() {
    std::array<ibv_wc, 16> completions;
    for (const std::span<const Cq> cqs : {endpoint_->send_cqs(), endpoint_->recv_cqs()}) {
      for (const Cq& cq : cqs) completed_ += ibv_poll_cq(cq.get(), 16, completions.data());
    }
  }
  void Wait(bool starved = false) { (*wait_)(static_cast<std::uint64_t>(completed_), starved); }

  static constexpr std::uint32_t kDepth = 64;
  const Device device_ = OpenFake();
  std::unique_ptr<Endpoint> peer_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<EventWait> wait_;
  Sleeps sleeps_;
  int completed_ = 0;
};

TEST_F(EventWaitTest, LetsTheDriverLookOnceMoreAfterArming) {
  Wait();
  EXPECT_EQ(sleeps_.begun, 0);
}

TEST_F(EventWaitTest, FindsWhatCameBeforeArmingWithoutASleep) {
  Arrive();
  Wait();
  Pass();
  Wait();
  EXPECT_EQ(completed_, 1);
  EXPECT_EQ(sleeps_.begun, 0);
}

TEST_F(EventWaitTest, WakesAtWhatCameBetweenArmingAndSleeping) {
  Wait();
  Pass();
  Arrive();
  Wait();
  EXPECT_EQ(sleeps_.results, std::vector<int>{1});
}

TEST_F(EventWaitTest, WakesAtWhatComesWhileItSleeps) {
  std::thread peer([this] {
    while (sleeps_.begun == 0) std::this_thread::yield();
    Arrive();
  });
  Wait();
  Wait();
  peer.join();
  EXPECT_EQ(sleeps_.results, std::vector<int>{1});
}

TEST_F(EventWaitTest, WakesAtItsOwnRequestsCompletions) {
  PostReceive(*peer_);
  Wait();
  Send(*endpoint_);
  Wait();
  EXPECT_EQ(sleeps_.results, std::vector<int>{1});
}

TEST_F(EventWaitTest, ArmsAgainAfterASleep) {
  for (int i = 1; i <= 20; ++i) {
    Wait();
    Arrive();
    Wait();
    EXPECT_EQ(sleeps_.results.size(), static_cast<std::size_t>(i));
    EXPECT_EQ(sleeps_.results.back(), 1);
  }
}

// Each completion has to wake the one who waits for it before there is another.
TEST_F(EventWaitTest, LosesNoWakeUpToAPeerThatIsAsFastAsItself) {
  std::atomic<int> taken{0};
  std::thread peer([&] {
    for (int i = 0; i < static_cast<int>(kDepth); ++i) {
      while (taken < i) std::this_thread::yield();
      Arrive();
    }
  });
  while (completed_ < static_cast<int>(kDepth)) {
    Pass();
    taken = completed_;
    Wait();
  }
  peer.join();
  EXPECT_THAT(sleeps_.results, Each(1));
}

TEST_F(EventWaitTest, SleepsShortlyWhereNothingComes) {
  sleeps_.patient = false;
  Wait();
  Wait();
  EXPECT_EQ(sleeps_.results, std::vector<int>{0});
  EXPECT_GT(sleeps_.asked_ms[0], 0);
  EXPECT_LE(sleeps_.asked_ms[0], 100);
}

TEST_F(EventWaitTest, SleepsShorterWhileTheEngineWaitsForSomethingThatMakesNoEvent) {
  sleeps_.patient = false;
  for (const bool starved : {false, true}) {
    Wait(starved);
    Wait(starved);
  }
  EXPECT_LT(sleeps_.asked_ms[1], sleeps_.asked_ms[0]);
}

TEST_F(EventWaitTest, DoesNotSleepWhileMessagesComplete) {
  for (int i = 0; i < 20; ++i) {
    Arrive();
    Pass();
    Wait();
  }
  EXPECT_EQ(completed_, 20);
  EXPECT_EQ(sleeps_.begun, 0);
}

}  // namespace
}  // namespace rdmabench
