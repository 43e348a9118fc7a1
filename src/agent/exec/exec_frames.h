// SPDX-License-Identifier: Apache-2.0
// The messages of an exec connection between agent and server: a byte for the type, then the payload.
//   agent to server:  r started {"pid"}, o stdout, e stderr, x ended {"exitCode", "reason"}
//   server to agent:  i stdin, z end of stdin, w window {"rows", "columns"}, s signal {"signal": "INT"}, k hang up
#pragma once

#include <cstdint>
#include <string>

#include "agent/drivers/exec.h"

namespace agent {

struct ExecInput {
  enum class Kind { Input, EndOfInput, Window, Signal, HangUp, Invalid };

  Kind kind = Kind::Invalid;
  std::string bytes = {};     // of Input
  int rows = 0, columns = 0;  // of Window
  int signal = 0;             // of Signal
};

ExecInput parse_exec_input(const std::string& message);

std::string exec_started(std::int64_t pid);
std::string exec_output(const drivers::ExecOutput& output);
std::string exec_ended(const drivers::ExecEnd& end);

}  // namespace agent
