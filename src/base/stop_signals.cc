// SPDX-License-Identifier: Apache-2.0
#include "base/stop_signals.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

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

bool StopSignals::wait_for(Duration most) {
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(most);
  const auto rest = std::chrono::duration_cast<std::chrono::nanoseconds>(most - whole);
  const timespec limit{static_cast<time_t>(whole.count()), static_cast<long>(rest.count())};
  for (;;) {
    const int number = sigtimedwait(&signals_, nullptr, &limit);
    if (number >= 0 || errno != EINTR) return number >= 0;
  }
}

void StopSignals::raise() { ::kill(::getpid(), SIGTERM); }

void StopSignals::let_through() { pthread_sigmask(SIG_UNBLOCK, &signals_, nullptr); }

}  // namespace base
