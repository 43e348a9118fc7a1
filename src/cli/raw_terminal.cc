// SPDX-License-Identifier: Apache-2.0
#include "cli/raw_terminal.h"

#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace cli {

RawTerminal::RawTerminal(int descriptor) : descriptor_(descriptor) {
  if (::tcgetattr(descriptor_, &before_) != 0) {
    throw std::system_error(errno, std::generic_category(), "standard input is not a terminal");
  }
  termios raw = before_;
  ::cfmakeraw(&raw);
  ::tcsetattr(descriptor_, TCSADRAIN, &raw);
}

RawTerminal::~RawTerminal() { ::tcsetattr(descriptor_, TCSADRAIN, &before_); }

datachannel::TerminalSize terminal_size(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {80, 24};
  return {size.ws_col, size.ws_row};
}

SessionSignals::SessionSignals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGPIPE}) sigaddset(&set, number);
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  descriptor_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
}

SessionSignals::~SessionSignals() {
  ::close(descriptor_);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

int SessionSignals::take() const {
  signalfd_siginfo info{};
  if (::read(descriptor_, &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

}  // namespace cli
