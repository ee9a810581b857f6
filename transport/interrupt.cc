#include "transport/interrupt.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>
#include <csignal>
#include <vector>

#include "transport/error.h"
#include "transport/signal_descriptor.h"
#include "transport/without_signals.h"

namespace rdmabench {
namespace {

sigset_t OurSignals() { return SignalSet({SIGINT, SIGTERM}); }

Descriptor Event() {
  return Descriptor(CheckErrno(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "cannot create an event"));
}

void Watch(const Descriptor& set, const Descriptor& watched) {
  epoll_event event = {};
  event.events = EPOLLIN;
  CheckErrno(epoll_ctl(set.get(), EPOLL_CTL_ADD, watched.get(), &event), "cannot wait for signals");
}

// As the signal would have, had nobody taken it.
void EndTheProgram(int signal_number) {
  signal(signal_number, SIG_DFL);
  UnblockSignals(OurSignals());
  raise(signal_number);
}

}  // namespace

Interrupt::Interrupt(std::chrono::milliseconds same_wish)
    : same_wish_(same_wish),
      signals_(BlockSignals(OurSignals(), "SIGINT and SIGTERM")),
      latch_(Event()),
      either_(CheckErrno(epoll_create1(EPOLL_CLOEXEC), "cannot wait for signals")),
      stop_(Event()) {
  Watch(either_, signals_);
  Watch(either_, latch_);
  // Others than ours must not end up in it.
  const WithoutSignals guard;
  thread_ = std::thread([this] { TakeSignals(); });
}

Interrupt::~Interrupt() {
  eventfd_write(stop_.get(), 1);
  thread_.join();
  RestoreSignals();
}

bool Interrupt::Pending() const {
  const std::array<int, 1> fds = {fd()};
  return WaitReady(fds, {}, Now())[0];
}

void Interrupt::LetTheNextEnd() const {
  const std::lock_guard lock(mutex_);
  TakeThoseThatCame();
  next_ends_ = true;
}

void Interrupt::TakeSignals() {
  const std::array<int, 2> fds = {signals_.get(), stop_.get()};
  for (bool stops = false; !stops;) {
    stops = WaitReady(fds, {}, Deadline::max())[1];
    const std::lock_guard lock(mutex_);
    TakeThoseThatCame();
  }
}

void Interrupt::TakeThoseThatCame() const {
  const std::array<int, 1> fds = {signals_.get()};
  if (!WaitReady(fds, {}, Now())[0]) return;
  // The latch first: whoever waits sees the descriptor readable throughout.
  eventfd_write(latch_.get(), 1);
  while (const std::optional<int> taken = TakeSignal(signals_)) {
    const bool is_granted = granted_until_ && Now() < *granted_until_;
    const bool ends = granted_until_ || next_ends_;
    if (ends && !is_granted) EndTheProgram(*taken);
    if (!granted_until_) granted_until_ = In(same_wish_);
  }
}

void Interrupt::RestoreSignals() {
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  UnblockSignals(OurSignals());
}

}  // namespace rdmabench
