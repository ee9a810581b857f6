// Runs the command of `lab exec` inside a host, and ends it when the caller is gone.
//
// When its channel closes, sshd tells a command without a terminal nothing; only the pipe that is
// its standard output loses its reader, which poll() reports. Then the command and all of its
// process group get SIGTERM, and SIGKILL when the command has ended or two seconds are over. This
// is a static program and not a script because starting an interpreter takes a quarter of a second
// in an emulated host.

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

constexpr int kPatienceMilliseconds = 2000;
constexpr char kPath[] = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

[[noreturn]] void Become(char** command, const sigset_t& original_mask) {
  setpgid(0, 0);
  // Where there is a terminal, its Ctrl-C is for the command. All signals are blocked, also the one
  // that would stop a group in the background.
  if (isatty(STDIN_FILENO)) tcsetpgrp(STDIN_FILENO, getpid());
  sigprocmask(SIG_SETMASK, &original_mask, nullptr);
  execvp(command[0], command);
  const int reason = errno;
  std::fprintf(stderr, "lab: cannot run %s: %s\n", command[0], std::strerror(reason));
  _exit(reason == ENOENT ? 127 : 126);
}

int ExitStatus(pid_t command) {
  int status = 0;
  waitpid(command, &status, 0);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  setenv("PATH", kPath, 1);
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  // A `pkill -f` that is meant for the command matches this program as well, and must not end it.
  sigset_t all;
  sigset_t original_mask;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &original_mask);

  const pid_t command = fork();
  if (command < 0) {
    std::perror("lab: cannot fork");
    return 126;
  }
  if (command == 0) Become(argv + 1, original_mask);
  // The command alone decides how long these two stay open.
  close(STDIN_FILENO);
  close(STDERR_FILENO);

  // No event is asked of standard output: the loss of the reader is always reported.
  pollfd watched[] = {{signalfd(-1, &child_ended, SFD_CLOEXEC), POLLIN, 0}, {STDOUT_FILENO, 0, 0}};
  poll(watched, 2, -1);
  if (watched[0].revents == 0) {
    kill(-command, SIGTERM);
    poll(watched, 1, kPatienceMilliseconds);
    kill(-command, SIGKILL);
  }
  return ExitStatus(command);
}
