#include "transport/session_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rdmabench {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SessionStateTest : public testing::Test {
 protected:
  std::string NextKind() { return state_.Next(Now(), "late").first; }

  SessionState state_{"the server (192.168.77.2:18515)"};
};

TEST_F(SessionStateTest, RefusesToQueueMoreThanThePeerTakes) {
  const std::string frame(std::size_t{20} << 20, 'x');
  state_.Queue(frame);
  EXPECT_THAT([&] { state_.Queue(frame); },
              ThrowsMessage<Error>(HasSubstr("does not take what it is sent: 20971520 bytes")));
  EXPECT_EQ(state_.TakeOutgoing().size(), frame.size());
  EXPECT_NO_THROW(state_.Queue(frame));
}

TEST_F(SessionStateTest, FailsWhenUnreadFramesTakeTooMuch) {
  const std::size_t half = std::size_t{32} << 20;
  state_.Deliver("results", 1, half);
  state_.Deliver("results", 2, half);
  EXPECT_FALSE(state_.failure());
  state_.Deliver("results", 3, 1);
  EXPECT_THAT(state_.failure().value().what(), HasSubstr("sends faster than this side reads"));
}

TEST_F(SessionStateTest, CountsOnlyWhatIsUnread) {
  for (int i = 0; i < 100; ++i) {
    state_.Deliver("results", i, std::size_t{32} << 20);
    EXPECT_EQ(NextKind(), "results");
  }
  EXPECT_FALSE(state_.failure());
}

TEST_F(SessionStateTest, KeepsTheFirstFailure) {
  state_.Fail(Error(Blame::kInterrupted, "interrupted"), Cause::kOwn);
  state_.Close("closed");
  EXPECT_STREQ(state_.failure().value().what(), "interrupted");
  EXPECT_TRUE(state_.abort_flag());
}

TEST_F(SessionStateTest, StillQueuesAfterAFailureOfItsOwn) {
  state_.Fail(Error(Blame::kRun, "stalled"), Cause::kOwn);
  EXPECT_NO_THROW(state_.Queue("frame"));
  EXPECT_FALSE(state_.lost());
}

TEST_F(SessionStateTest, TellsAFailedPeerNothing) {
  state_.Fail(Error(Blame::kRun, "peer: stalled"), Cause::kPeerError);
  state_.QueueLast("frame");
  EXPECT_FALSE(state_.has_outgoing());
  EXPECT_THAT([&] { state_.Queue("frame"); }, ThrowsMessage<Error>("peer: stalled"));
}

TEST_F(SessionStateTest, TellsAPeerThatIsNotUnderstoodWhy) {
  state_.Fail(Error(Blame::kRun, "no frame"), Cause::kLost);
  state_.QueueLast("frame");
  EXPECT_EQ(state_.TakeOutgoing(), "frame");
}

}  // namespace
}  // namespace rdmabench
