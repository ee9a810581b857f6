#include "transport/hangup.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

#include "transport/error.h"

namespace rdmabench {
namespace {

sigset_t OnlyHangup() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGHUP);
  return set;
}

Descriptor BlockedHangup() {
  const sigset_t set = OnlyHangup();
  Check(pthread_sigmask(SIG_BLOCK, &set, nullptr), "cannot block SIGHUP");
  return Descriptor(CheckErrno(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC),
                               "cannot create a descriptor for SIGHUP"));
}

}  // namespace

Hangup::Hangup() : signals_(BlockedHangup()) {}

bool Hangup::Take() const {
  bool came = false;
  signalfd_siginfo taken = {};
  while (read(signals_.get(), &taken, sizeof(taken)) > 0) came = true;
  return came;
}

void Hangup::Ignore() {
  signal(SIGHUP, SIG_IGN);
  const sigset_t set = OnlyHangup();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace rdmabench
