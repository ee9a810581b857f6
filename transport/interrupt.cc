#include "transport/interrupt.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <csignal>

#include "transport/error.h"

namespace rdmabench {
namespace {

sigset_t OurSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

Descriptor BlockedSignals() {
  const sigset_t set = OurSignals();
  Check(pthread_sigmask(SIG_BLOCK, &set, nullptr), "cannot block SIGINT and SIGTERM");
  return Descriptor(CheckErrno(signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC),
                               "cannot create a descriptor for signals"));
}

void Watch(const Descriptor& set, const Descriptor& watched) {
  epoll_event event = {};
  event.events = EPOLLIN;
  CheckErrno(epoll_ctl(set.get(), EPOLL_CTL_ADD, watched.get(), &event), "cannot wait for signals");
}

}  // namespace

Interrupt::Interrupt()
    : signals_(BlockedSignals()),
      latch_(CheckErrno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot create an event")),
      either_(CheckErrno(epoll_create1(EPOLL_CLOEXEC), "cannot wait for signals")) {
  Watch(either_, signals_);
  Watch(either_, latch_);
}

bool Interrupt::Pending() const {
  const std::array<int, 1> fds = {fd()};
  return WaitReady(fds, {}, Now())[0];
}

void Interrupt::Acknowledge() const {
  if (!Pending()) return;
  // The latch first: whoever waits sees the descriptor readable throughout.
  CheckErrno(eventfd_write(latch_.get(), 1), "cannot set an event");
  signalfd_siginfo taken = {};
  while (read(signals_.get(), &taken, sizeof(taken)) > 0) continue;
  RestoreSignals();
}

void Interrupt::RestoreSignals() {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  const sigset_t set = OurSignals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace rdmabench
