// SPDX-License-Identifier: Apache-2.0
#include "agent/exec/exec_frames.h"

#include <signal.h>

#include <algorithm>
#include <boost/describe/class.hpp>
#include <optional>
#include <string_view>

#include "base/utf8.h"
#include "wire/error.h"
#include "wire/json.h"
#include "wire/type_of.h"

namespace agent {
namespace {

constexpr int kLargestWindow = 10'000;
constexpr std::size_t kMaxExecReason = 4096;

struct StartedFrame {
  std::int64_t pid = 0;
};
BOOST_DESCRIBE_STRUCT(StartedFrame, (), (pid))

struct EndedFrame {
  std::int32_t exitCode = 0;
  std::string reason;
};
BOOST_DESCRIBE_STRUCT(EndedFrame, (), (exitCode, reason))

struct WindowFrame {
  std::int32_t rows = 0;
  std::int32_t columns = 0;
};
BOOST_DESCRIBE_STRUCT(WindowFrame, (), (rows, columns))

struct SignalFrame {
  std::string signal;
};
BOOST_DESCRIBE_STRUCT(SignalFrame, (), (signal))

template <class T>
std::string exec_frame(char type, const T& payload) {
  std::string text(1, type);
  wire::write_json(wire::type_of<T>(), &payload, text);
  return text;
}

template <class T>
std::optional<T> read_payload(std::string_view text) {
  T payload;
  try {
    wire::read_json(wire::type_of<T>(), text, &payload);
  } catch (const wire::ApiError&) {
    return std::nullopt;
  }
  return payload;
}

struct SignalName {
  std::string_view name;
  int number;
};
constexpr SignalName kExecSignals[] = {{"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT}, {"KILL", SIGKILL},
                                       {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"TERM", SIGTERM}, {"CONT", SIGCONT},
                                       {"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"WINCH", SIGWINCH}};

int signal_number(std::string_view name) {
  if (name.starts_with("SIG")) name.remove_prefix(3);
  const auto* found = std::ranges::find(kExecSignals, name, &SignalName::name);
  return found == std::end(kExecSignals) ? 0 : found->number;
}

ExecInput signal_input(int number) {
  ExecInput input;
  if (number == 0) return input;
  input.kind = ExecInput::Kind::Signal;
  input.signal = number;
  return input;
}

ExecInput window_input(std::string_view payload) {
  ExecInput input;
  const auto window = read_payload<WindowFrame>(payload);
  const auto valid = [](int size) { return size > 0 && size <= kLargestWindow; };
  if (!window || !valid(window->rows) || !valid(window->columns)) return input;
  input.kind = ExecInput::Kind::Window;
  input.rows = window->rows;
  input.columns = window->columns;
  return input;
}

}  // namespace

ExecInput parse_exec_input(const std::string& message) {
  ExecInput input;
  if (message.empty()) return input;
  const std::string_view payload = std::string_view(message).substr(1);
  switch (message[0]) {
    case 'i':
      input.kind = ExecInput::Kind::Input;
      input.bytes = std::string(payload);
      return input;
    case 'z': input.kind = ExecInput::Kind::EndOfInput; return input;
    case 'w': return window_input(payload);
    case 's': {
      const auto frame = read_payload<SignalFrame>(payload);
      return signal_input(frame ? signal_number(frame->signal) : 0);
    }
    case 'k': input.kind = ExecInput::Kind::HangUp; return input;
    default: return input;
  }
}

std::string exec_started(std::int64_t pid) {
  StartedFrame frame;
  frame.pid = pid;
  return exec_frame('r', frame);
}

std::string exec_output(const drivers::ExecOutput& output) {
  return (output.source == drivers::ExecSource::Stderr ? "e" : "o") + output.bytes;
}

std::string exec_ended(const drivers::ExecEnd& end) {
  EndedFrame frame;
  frame.exitCode = end.code;
  frame.reason = base::to_printable(end.reason.substr(0, kMaxExecReason));
  return exec_frame('x', frame);
}

}  // namespace agent
