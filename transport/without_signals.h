// For threads that no signal may reach, so that it reaches the one that is meant to take it.
#pragma once

#include <pthread.h>

#include <csignal>

namespace rdmabench {

// Blocks all signals for as long as it lives. Threads that start meanwhile never see one.
class WithoutSignals {
 public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  sigset_t before_ = {};
};

}  // namespace rdmabench
