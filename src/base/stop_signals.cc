// SPDX-License-Identifier: Apache-2.0
#include "base/stop_signals.h"

#include <pthread.h>
#include <signal.h>

namespace base {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

int StopSignals::wait() {
  int number = 0;
  sigwait(&signals_, &number);
  return number;
}

void StopSignals::let_through() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

}  // namespace base
