// SPDX-License-Identifier: Apache-2.0
#include "cli/terminal_screen.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <system_error>

#include "cli/terminal_text.h"

namespace cli {
namespace {

constexpr char kEnter[] = "\x1b[?1049h\x1b[?25l\x1b[?7l";  // alternate screen, no cursor, no wrapping
constexpr char kLeave[] = "\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr char kHome[] = "\x1b[H";
constexpr char kReverse[] = "\x1b[7m", kPlain[] = "\x1b[0m";
constexpr char kClearLineEnd[] = "\x1b[K", kClearBelow[] = "\x1b[J";
constexpr char kEndOfInput = 4;  // Ctrl-D

sigset_t screen_signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH}) sigaddset(&set, number);
  return set;
}

}  // namespace

TerminalScreen::TerminalScreen(int input, int output) : input_(input), output_(output) {
  if (::tcgetattr(input_, &before_) != 0) {
    throw std::system_error(errno, std::generic_category(), "standard input is not a terminal");
  }
  const sigset_t set = screen_signals();
  pthread_sigmask(SIG_BLOCK, &set, &mask_before_);
  signals_ = ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (signals_ < 0) throw std::system_error(errno, std::generic_category(), "signalfd");
  enter();
}

TerminalScreen::~TerminalScreen() {
  leave();
  ::close(signals_);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

void TerminalScreen::enter() {
  termios raw = before_;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);  // Ctrl-C and Ctrl-Z stay signals
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  ::tcsetattr(input_, TCSANOW, &raw);
  write_all(kEnter);
}

void TerminalScreen::leave() {
  write_all(kLeave);
  ::tcsetattr(input_, TCSANOW, &before_);
}

void TerminalScreen::write_all(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(output_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the terminal is gone: SIGHUP follows
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

FrameSize TerminalScreen::size() const {
  winsize size{};
  if (::ioctl(output_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return {};
  return {size.ws_col, size.ws_row};
}

// One write, so that the screen does not flicker over slow lines.
void TerminalScreen::draw(const std::vector<FrameLine>& lines) {
  const std::size_t columns = size().columns;
  std::string out = kHome;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i > 0) out += "\r\n";
    if (lines[i].heading) {
      out += kReverse + lines[i].text + std::string(columns - std::min(columns, display_width(lines[i].text)), ' ') + kPlain;
    } else {
      out += lines[i].text;
    }
    out += kClearLineEnd;
  }
  write_all(out + kClearBelow);
}

std::optional<TerminalScreen::Event> TerminalScreen::read_keys() const {
  std::array<char, 64> keys{};
  const ssize_t got = ::read(input_, keys.data(), keys.size());
  if (got <= 0) return errno == EINTR && got < 0 ? std::nullopt : std::optional(Event::Quit);
  for (ssize_t i = 0; i < got; ++i) {
    const char key = keys[static_cast<std::size_t>(i)];
    if (key == 'q' || key == 'Q' || key == kEndOfInput) return Event::Quit;
  }
  return std::nullopt;
}

void TerminalScreen::stop_process() {
  leave();
  ::kill(::getpid(), SIGSTOP);  // returns when the process is continued
  enter();
}

std::optional<TerminalScreen::Event> TerminalScreen::read_signal() {
  signalfd_siginfo signal{};
  if (::read(signals_, &signal, sizeof signal) != sizeof signal) return std::nullopt;
  if (signal.ssi_signo == SIGWINCH) return Event::Redraw;
  if (signal.ssi_signo != SIGTSTP) return Event::Quit;
  stop_process();
  return Event::Redraw;
}

TerminalScreen::Event TerminalScreen::wait(int wake) {
  for (;;) {
    std::array<pollfd, 3> entries{{{input_, POLLIN, 0}, {signals_, POLLIN, 0}, {wake, POLLIN, 0}}};
    if (::poll(entries.data(), entries.size(), -1) < 0) continue;
    std::optional<Event> event;
    if (entries[1].revents != 0) event = read_signal();
    if (!event && entries[0].revents != 0) event = read_keys();
    if (!event && entries[2].revents != 0) {
      std::uint64_t count = 0;
      if (::read(wake, &count, sizeof count) == sizeof count) event = Event::Changed;
    }
    if (event) return *event;
  }
}

}  // namespace cli
