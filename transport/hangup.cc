#include "transport/hangup.h"

#include <csignal>

#include "transport/signal_descriptor.h"

namespace rdmabench {

Hangup::Hangup() : signals_(BlockSignals(SignalSet({SIGHUP}), "SIGHUP")) {}

bool Hangup::Take() const {
  bool came = false;
  while (TakeSignal(signals_)) came = true;
  return came;
}

void Hangup::Ignore() {
  signal(SIGHUP, SIG_IGN);
  UnblockSignals(SignalSet({SIGHUP}));
}

}  // namespace rdmabench
