#include "transport/interrupt.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNoTime{0};
constexpr milliseconds kForEver = std::chrono::hours(24);

TEST(Interrupt, StaysPendingAfterItIsAcknowledged) {
  const Interrupt interrupt;
  EXPECT_FALSE(interrupt.Pending());
  interrupt.Acknowledge();
  kill(getpid(), SIGINT);
  EXPECT_TRUE(interrupt.Pending());
  interrupt.Acknowledge();
  EXPECT_TRUE(interrupt.Pending());
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGINT));
}

// What becomes of a process that is signalled again after it took the first signal.
[[noreturn]] void SignalTwice(milliseconds same_wish, int second) {
  const Interrupt interrupt(same_wish);
  kill(getpid(), SIGINT);
  interrupt.Acknowledge();
  kill(getpid(), second);
  std::exit(EXIT_SUCCESS);
}

TEST(Interrupt, IsEndedByASecondSignal) {
  EXPECT_EXIT(SignalTwice(kNoTime, SIGINT), testing::KilledBySignal(SIGINT), "");
  EXPECT_EXIT(SignalTwice(kNoTime, SIGTERM), testing::KilledBySignal(SIGTERM), "");
}

TEST(Interrupt, DoesNotCountASecondSignalThatComesWithTheFirst) {
  EXPECT_EXIT(SignalTwice(kForEver, SIGINT), testing::ExitedWithCode(EXIT_SUCCESS), "");
  EXPECT_EXIT(SignalTwice(kForEver, SIGTERM), testing::ExitedWithCode(EXIT_SUCCESS), "");
}

TEST(Interrupt, IsEndedByTheFirstSignalOnceNoneIsTaken) {
  EXPECT_EXIT(
      {
        const Interrupt interrupt(kForEver);
        interrupt.LetTheNextEnd();
        kill(getpid(), SIGINT);
        std::exit(EXIT_SUCCESS);
      },
      testing::KilledBySignal(SIGINT), "");
}

// While the report is written, after the measuring has been interrupted.
TEST(Interrupt, DoesNotCountItThenEither) {
  EXPECT_EXIT(
      {
        const Interrupt interrupt(kForEver);
        kill(getpid(), SIGINT);
        interrupt.Acknowledge();
        interrupt.LetTheNextEnd();
        kill(getpid(), SIGINT);
        std::exit(EXIT_SUCCESS);
      },
      testing::ExitedWithCode(EXIT_SUCCESS), "");
}

}  // namespace
}  // namespace rdmabench
