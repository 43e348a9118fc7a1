// SPDX-License-Identifier: Apache-2.0
// SIGINT and SIGTERM, waited for and not handled: nothing runs at a moment that nobody chose.
#pragma once

#include <csignal>

namespace base {

// Blocks both from here on: make it on the main thread, before any other thread is there.
class StopSignals {
 public:
  StopSignals();

  // Until one of them comes; its number.
  int wait();
  // From now on one ends the process there and then, for people who can't wait.
  void let_through();

 private:
  sigset_t signals_;
};

}  // namespace base
