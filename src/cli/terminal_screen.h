// SPDX-License-Identifier: Apache-2.0
// A terminal's whole screen, which shows what was there before when this is over.
#pragma once

#include <termios.h>

#include <csignal>
#include <optional>
#include <string>
#include <string_view>

#include "cli/top_frame.h"

namespace cli {

// Blocks the signals that would end or stop the process: construct it before starting any thread.
class TerminalScreen {
 public:
  // Descriptors of the terminal. Throws std::system_error.
  TerminalScreen(int input, int output);
  ~TerminalScreen();
  TerminalScreen(const TerminalScreen&) = delete;
  TerminalScreen& operator=(const TerminalScreen&) = delete;

  FrameSize size() const;
  void draw(const std::vector<FrameLine>& lines);

  enum class Event {
    Quit,     // q, Ctrl-C, Ctrl-D, SIGTERM, or the terminal is gone
    Redraw,   // another size, or back from the background
    Changed,  // `wake` is readable
  };
  // Waits for the next event. `wake` is a descriptor of an eventfd, which is read.
  Event wait(int wake);

 private:
  void enter();
  void leave();
  void write_all(std::string_view text) const;
  std::optional<Event> read_keys() const;
  std::optional<Event> read_signal();
  // Like any program in the foreground at Ctrl-Z.
  void stop_process();

  int input_, output_, signals_ = -1;
  termios before_{};
  sigset_t mask_before_{};
};

}  // namespace cli
