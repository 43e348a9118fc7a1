// SPDX-License-Identifier: Apache-2.0
// A terminal that passes every key on, until this is destroyed.
#pragma once

#include <termios.h>

#include <csignal>

#include "datachannel/payloads.h"

namespace cli {

class RawTerminal {
 public:
  explicit RawTerminal(int descriptor);  // throws std::system_error
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  int descriptor_;
  termios before_{};
};

// Of a terminal; 80 x 24 where it has none.
datachannel::TerminalSize terminal_size(int descriptor);

// The signals that end a session or change the size of its terminal, as a descriptor. Blocks them: construct it before
// starting any thread.
class SessionSignals {
 public:
  SessionSignals();
  ~SessionSignals();
  SessionSignals(const SessionSignals&) = delete;
  SessionSignals& operator=(const SessionSignals&) = delete;

  int descriptor() const { return descriptor_; }
  int take() const;  // the number of the next signal; 0: none

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace cli
