#include "transport/signal_descriptor.h"

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "transport/deadline.h"

namespace rdmabench {
namespace {

TEST(SignalDescriptor, GivesEachSignalOnceByItsNumber) {
  const Descriptor signals = BlockSignals(SignalSet({SIGUSR1, SIGUSR2}), "SIGUSR1 and SIGUSR2");
  EXPECT_FALSE(TakeSignal(signals));
  kill(getpid(), SIGUSR2);
  const std::array<int, 1> fds = {signals.get()};
  EXPECT_TRUE(WaitReady(fds, {}, Deadline::max())[0]);
  EXPECT_EQ(TakeSignal(signals), SIGUSR2);
  EXPECT_FALSE(TakeSignal(signals));
  kill(getpid(), SIGUSR1);
  EXPECT_EQ(TakeSignal(signals), SIGUSR1);
}

TEST(SignalDescriptor, BlocksNoOthersAndUnblocksItsOwn) {
  const sigset_t ours = SignalSet({SIGUSR1});
  const Descriptor signals = BlockSignals(ours, "SIGUSR1");
  sigset_t blocked;
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_TRUE(sigismember(&blocked, SIGUSR1));
  EXPECT_FALSE(sigismember(&blocked, SIGALRM));
  UnblockSignals(ours);
  pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
  EXPECT_FALSE(sigismember(&blocked, SIGUSR1));
}

}  // namespace
}  // namespace rdmabench
