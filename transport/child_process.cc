#include "transport/child_process.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "transport/error.h"

namespace rdmabench {
namespace {

// Debian 12's glibc has no wrapper for it in C++. The kernel sets close-on-exec.
int OpenProcess(int pid) {
  const auto descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (descriptor >= 0) return descriptor;
  const int code = errno;
  // Nobody would wait for it.
  kill(pid, SIGKILL);
  waitpid(pid, nullptr, 0);
  ThrowErrno(code, "cannot wait for process " + std::to_string(pid), "");
}

}  // namespace

ChildProcess::ChildProcess(int pid) : pid_(pid), descriptor_(OpenProcess(pid)) {}

void ChildProcess::Signal(int signal) const { kill(pid_, signal); }

std::optional<Outcome> ChildProcess::Reap() const {
  siginfo_t info = {};
  CheckErrno(waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG),
             "cannot wait for process " + std::to_string(pid_));
  if (info.si_pid == 0) return std::nullopt;
  const int value = info.si_status;
  if (info.si_code == CLD_EXITED) return Outcome{value, 0, "exit code " + std::to_string(value)};
  return Outcome{128 + value, value,
                 "signal " + std::to_string(value) + " (" + strsignal(value) + ")"};
}

}  // namespace rdmabench
