#include "transport/hangup.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>

namespace rdmabench {
namespace {

TEST(Hangup, IsTakenOnceHoweverOftenItCame) {
  const Hangup hangup;
  EXPECT_FALSE(hangup.Take());
  kill(getpid(), SIGHUP);
  kill(getpid(), SIGHUP);
  const std::array<int, 1> fds = {hangup.fd()};
  EXPECT_TRUE(WaitReady(fds, {}, Deadline::max())[0]);
  EXPECT_TRUE(hangup.Take());
  EXPECT_FALSE(hangup.Take());
  kill(getpid(), SIGHUP);
  EXPECT_TRUE(hangup.Take());
}

TEST(Hangup, DoesNotEndAChildThatIgnoresIt) {
  const Hangup hangup;
  const pid_t child = fork();
  if (child == 0) {
    Hangup::Ignore();
    execl("/bin/sh", "sh", "-c", "kill -HUP $$; exit 7", nullptr);
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

}  // namespace
}  // namespace rdmabench
