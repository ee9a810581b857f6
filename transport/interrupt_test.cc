#include "transport/interrupt.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>

namespace rdmabench {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kNoTime{0};
constexpr milliseconds kForEver = std::chrono::hours(24);
constexpr std::chrono::seconds kPatience{20};

// Until the thread that takes signals has taken those that were sent: it does so in order.
void AwaitTaken() {
  sigset_t pending;
  const Deadline deadline = In(kPatience);
  do {
    WaitReady({}, {}, In(milliseconds(1)));
    sigpending(&pending);
  } while ((sigismember(&pending, SIGINT) != 0 || sigismember(&pending, SIGTERM) != 0) &&
           Now() < deadline);
}

void Send(int signal_number) {
  kill(getpid(), signal_number);
  AwaitTaken();
}

// A thread that nobody wakes, and that looks at nothing.
[[noreturn]] void Hang() {
  WaitReady({}, {}, In(kPatience));
  std::exit(EXIT_SUCCESS);
}

TEST(Interrupt, StaysPending) {
  const Interrupt interrupt;
  EXPECT_FALSE(interrupt.Pending());
  kill(getpid(), SIGINT);
  EXPECT_TRUE(interrupt.Pending()) << "at once";
  AwaitTaken();
  EXPECT_TRUE(interrupt.Pending());
}

TEST(Interrupt, IsNoneOfTheOneBefore) {
  {
    const Interrupt first;
    Send(SIGTERM);
  }
  const Interrupt second;
  EXPECT_FALSE(second.Pending());
}

// Whether or not its thread was fast enough to see it.
TEST(Interrupt, TakesASignalThatCameWhileItWasThere) {
  for (int i = 0; i < 100; ++i) {
    const Interrupt interrupt;
    kill(getpid(), SIGTERM);
  }
}

TEST(Interrupt, LeavesTheCallsOfOtherThreadsAlone) {
  const Interrupt interrupt;
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_TRUE(sigismember(&blocked, SIGINT));
  EXPECT_TRUE(sigismember(&blocked, SIGTERM));
}

// What becomes of a process that is signalled again, and in which nobody looks at the first.
[[noreturn]] void SignalTwice(milliseconds same_wish, int second) {
  {
    const Interrupt interrupt(same_wish);
    Send(SIGINT);
    Send(second);
    if (same_wish == kNoTime) Hang();
  }
  std::exit(EXIT_SUCCESS);
}

TEST(Interrupt, IsEndedByASecondSignalThoughNobodyLooks) {
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
        Send(SIGINT);
        Hang();
      },
      testing::KilledBySignal(SIGINT), "");
}

// While the report is written, after the measuring has been interrupted.
TEST(Interrupt, DoesNotCountItThenEither) {
  EXPECT_EXIT(
      {
        {
          const Interrupt interrupt(kForEver);
          Send(SIGINT);
          interrupt.LetTheNextEnd();
          Send(SIGINT);
        }
        std::exit(EXIT_SUCCESS);
      },
      testing::ExitedWithCode(EXIT_SUCCESS), "");
}

// The measuring sees that one has come, and is over before the thread has taken it.
TEST(Interrupt, DoesNotCountOneThatHasComeBeforeTheNextIsToEnd) {
  EXPECT_EXIT(
      {
        for (int i = 0; i < 200; ++i) {
          const Interrupt interrupt(kForEver);
          kill(getpid(), SIGINT);
          interrupt.LetTheNextEnd();
          if (!interrupt.Pending()) std::exit(EXIT_FAILURE);
        }
        std::exit(EXIT_SUCCESS);
      },
      testing::ExitedWithCode(EXIT_SUCCESS), "");
}

// The thread that takes signals takes its own, and none that others wait for.
TEST(Interrupt, LeavesOtherSignalsToThoseWhoBlockThemLater) {
  const Interrupt interrupt;
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  kill(getpid(), SIGHUP);
  int taken = 0;
  EXPECT_EQ(sigwait(&set, &taken), 0);
  EXPECT_EQ(taken, SIGHUP);
}

TEST(Interrupt, LeavesSignalsToEndTheProgramWhenItIsGone) {
  EXPECT_EXIT(
      {
        { const Interrupt interrupt(kForEver); }
        kill(getpid(), SIGTERM);
        Hang();
      },
      testing::KilledBySignal(SIGTERM), "");
}

}  // namespace
}  // namespace rdmabench
