#include "transport/event_limiter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace rdmabench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class EventLimiterTest : public testing::Test {
 protected:
  void Tell(std::size_t count, Deadline now) {
    for (std::size_t i = 0; i < count; ++i) {
      limiter_.Tell({.kind = EventKind::kDismissed, .peer = "10.0.0.1:5", .text = "dismissed"},
                    now);
    }
  }

  const Deadline start_ = Now();
  std::vector<Event> told_;
  EventLimiter limiter_{[this](const Event& event) { told_.push_back(event); }};
};

TEST_F(EventLimiterTest, TellsAllOfAnOrdinaryDay) {
  for (int second = 0; second < 5; ++second) {
    Tell(EventLimiter::kEventsASecond, start_ + seconds(second));
  }
  EXPECT_THAT(told_, SizeIs(5 * EventLimiter::kEventsASecond));
  EXPECT_EQ(limiter_.NextDuty(), Deadline::max());
}

TEST_F(EventLimiterTest, CountsWhatIsTooMuch) {
  Tell(EventLimiter::kEventsASecond + 1950, start_);
  EXPECT_THAT(told_, SizeIs(EventLimiter::kEventsASecond));
  EXPECT_EQ(limiter_.NextDuty(), start_ + seconds(1));
  limiter_.TellWhatWasLeftOut(start_ + milliseconds(999));
  EXPECT_THAT(told_, SizeIs(EventLimiter::kEventsASecond));
  limiter_.TellWhatWasLeftOut(start_ + seconds(1));
  ASSERT_THAT(told_, SizeIs(EventLimiter::kEventsASecond + 1));
  EXPECT_EQ(told_.back().kind, EventKind::kEventsLeftOut);
  EXPECT_THAT(told_.back().text, HasSubstr("left out 1950 events"));
}

TEST_F(EventLimiterTest, TellsAgainInTheNextSecond) {
  Tell(EventLimiter::kEventsASecond + 7, start_);
  Tell(1, start_ + seconds(1));
  ASSERT_THAT(told_, SizeIs(EventLimiter::kEventsASecond + 2));
  EXPECT_EQ(told_[EventLimiter::kEventsASecond].kind, EventKind::kEventsLeftOut);
  EXPECT_EQ(told_.back().kind, EventKind::kDismissed);
}

}  // namespace
}  // namespace rdmabench
