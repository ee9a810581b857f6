#include "transport/session_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace rdmabench {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::ThrowsMessage;

class SessionStateTest : public testing::Test {
 protected:
  std::string NextKind() { return state_.Next(Now()).value().first; }

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

TEST_F(SessionStateTest, HasNothingAtTheDeadline) { EXPECT_FALSE(state_.Next(Now())); }

TEST_F(SessionStateTest, SaysWhenThePeerWasLastHeardAndWhatItDid) {
  EXPECT_EQ(state_.LastHeard(), "nothing was heard of it before");
  state_.Heard();
  EXPECT_THAT(state_.LastHeard(), MatchesRegex("it was last heard [0-9.]+ s ago"));
  state_.Deliver("accepted", {}, 1);
  state_.Deliver("peer", {}, 1);
  EXPECT_THAT(state_.LastHeard(), EndsWith(" ago, after it sent 'peer'"));
  state_.Heard({.step = "running", .messages = 7});
  EXPECT_THAT(state_.LastHeard(), HasSubstr(" ago, while running (7 messages)"));
  state_.Heard({.step = "exchanging results", .messages = {}});
  EXPECT_THAT(state_.LastHeard(), EndsWith(" ago, while exchanging results"));
}

TEST_F(SessionStateTest, CountsMessagesOfTheStepUnderWay) {
  state_.Begin("warming up");
  state_.Count(128);
  EXPECT_EQ(state_.activity().messages, 128U);
  state_.Begin("getting ready");
  EXPECT_EQ(state_.activity().step, "getting ready");
  EXPECT_FALSE(state_.activity().messages);
}

TEST_F(SessionStateTest, KeepsTheFirstFailure) {
  state_.Fail(Error(Blame::kInterrupted, "interrupted"), Cause::kOwn);
  state_.Close(Error(Blame::kRun, "closed"));
  EXPECT_STREQ(state_.failure().value().what(), "interrupted");
  EXPECT_TRUE(state_.abort_flag());
}

TEST_F(SessionStateTest, StillQueuesAfterAFailureOfItsOwn) {
  state_.Fail(Error(Blame::kRun, "stalled"), Cause::kOwn);
  EXPECT_NO_THROW(state_.Queue("frame"));
  EXPECT_FALSE(state_.lost());
}

TEST_F(SessionStateTest, CanTellAFailedPeerItsOwnReasonAndNothingElse) {
  state_.Fail(Error(Blame::kRun, "peer: stalled"), Cause::kPeerError);
  EXPECT_THAT([&] { state_.Queue("frame"); }, ThrowsMessage<Error>("peer: stalled"));
  state_.QueueLast("frame");
  EXPECT_EQ(state_.TakeOutgoing(), "frame");
}

TEST_F(SessionStateTest, KeepsTheReasonsOfBothSidesWhicheverCameFirst) {
  EXPECT_FALSE(state_.own_reason());
  state_.Fail(Error(Blame::kRun, "peer: stalled"), Cause::kPeerError);
  state_.Fail(Error(Blame::kRun, "queue pair broke"), Cause::kOwn);
  state_.Fail(Error(Blame::kRun, "another one, too"), Cause::kOwn);
  EXPECT_STREQ(state_.failure()->what(), "peer: stalled");
  ASSERT_TRUE(state_.own_reason());
  EXPECT_STREQ(state_.own_reason()->what(), "queue pair broke");
  EXPECT_STREQ(state_.AwaitPeerReason(Now())->what(), "peer: stalled");
}

TEST_F(SessionStateTest, WaitsForNoReasonOfAPeerThatIsGone) {
  state_.Fail(Error(Blame::kRun, "queue pair broke"), Cause::kOwn);
  EXPECT_FALSE(state_.AwaitPeerReason(Now()));
  state_.Close(Error(Blame::kRun, "it closed the connection"));
  EXPECT_FALSE(state_.AwaitPeerReason(Deadline::max()));
}

TEST_F(SessionStateTest, TellsAPeerThatIsNotUnderstoodWhy) {
  state_.Fail(Error(Blame::kRun, "no frame"), Cause::kLost);
  state_.QueueLast("frame");
  EXPECT_EQ(state_.TakeOutgoing(), "frame");
}

}  // namespace
}  // namespace rdmabench
