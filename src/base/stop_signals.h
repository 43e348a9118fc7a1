// SPDX-License-Identifier: Apache-2.0
// Waits for SIGINT and SIGTERM synchronously, so that no code runs in a signal handler.
#pragma once

#include <csignal>

#include "base/time.h"

namespace base {

// Blocks both signals: construct it on the main thread before starting any other thread.
class StopSignals {
 public:
  StopSignals();

  // Blocks until a signal arrives; returns its number.
  int wait();
  // The same for so long. True: a signal arrived.
  bool wait_for(Duration most);
  // From any thread, as if SIGTERM had arrived.
  void raise();
  // The next signal ends the process immediately.
  void let_through();

 private:
  sigset_t signals_;
};

}  // namespace base
