#include "transport/signal_descriptor.h"

#include <pthread.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <string>

#include "transport/error.h"

namespace rdmabench {

sigset_t SignalSet(std::initializer_list<int> signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal_number : signals) sigaddset(&set, signal_number);
  return set;
}

Descriptor BlockSignals(const sigset_t& signals, std::string_view names) {
  Check(pthread_sigmask(SIG_BLOCK, &signals, nullptr), "cannot block " + std::string(names));
  return Descriptor(CheckErrno(signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC),
                               "cannot create a descriptor for " + std::string(names)));
}

std::optional<int> TakeSignal(const Descriptor& signals) {
  signalfd_siginfo taken = {};
  if (read(signals.get(), &taken, sizeof taken) <= 0) return std::nullopt;
  return static_cast<int>(taken.ssi_signo);
}

void UnblockSignals(const sigset_t& signals) { pthread_sigmask(SIG_UNBLOCK, &signals, nullptr); }

}  // namespace rdmabench
