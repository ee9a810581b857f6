#include "transport/interrupt.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>

#include "transport/deadline.h"
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

// A handler can be told nothing else: until when signals are the wish that is granted already; 0:
// there was none.
std::atomic<std::int64_t> ignored_until_ns{0};
static_assert(std::atomic<std::int64_t>::is_always_lock_free);

std::int64_t NowNs() { return Now().time_since_epoch() / std::chrono::nanoseconds(1); }

void EndUnlessGranted(int signal_number) {
  if (NowNs() < ignored_until_ns.load(std::memory_order_relaxed)) return;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void Unblock() {
  const sigset_t set = OurSignals();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace

Interrupt::Interrupt(std::chrono::milliseconds same_wish)
    : same_wish_(same_wish),
      signals_(BlockedSignals()),
      latch_(CheckErrno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot create an event")),
      either_(CheckErrno(epoll_create1(EPOLL_CLOEXEC), "cannot wait for signals")) {
  Watch(either_, signals_);
  Watch(either_, latch_);
  ignored_until_ns.store(0, std::memory_order_relaxed);
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
  std::int64_t never = 0;
  ignored_until_ns.compare_exchange_strong(
      never, NowNs() + same_wish_ / std::chrono::nanoseconds(1), std::memory_order_relaxed);
  LetTheNextEnd();
}

void Interrupt::LetTheNextEnd() const {
  struct sigaction action = {};
  action.sa_handler = EndUnlessGranted;
  action.sa_flags = SA_RESTART;  // a signal that does not count must not be seen by what is written
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  Unblock();
}

void Interrupt::RestoreSignals() {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  Unblock();
}

}  // namespace rdmabench
