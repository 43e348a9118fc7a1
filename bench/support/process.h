// SPDX-License-Identifier: Apache-2.0
// A server that the benchmark starts, watches and stops.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/sockets.h"

namespace bench {

struct Command {
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  // "NAME=value", on top of ours
  std::string log_file;                  // takes its standard error
};

class Process {
 public:
  // In a process group of its own. It does not outlive this program.
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The first line of its output that has `mark` in it. Throws when it ends, or says
  // nothing of the kind in time.
  std::string wait_for_line(std::string_view mark, Seconds patience);

  // SIGTERM; SIGKILL when that does not end it in time.
  void stop(Seconds patience);
  bool running();

  // What the whole group has used so far.
  Seconds cpu() const;
  // The most memory that the program itself ever held, in bytes.
  std::uint64_t peak_memory() const;

 private:
  void end_with_group(int signal);

  pid_t pid_ = -1;
  int output_ = -1;
  std::string log_file_;
};

// What this program has used so far.
Seconds own_cpu();

// The full path of a program, or "".
std::string find_program(const std::string& name);

// Where this program lies; what is built with it lies beside.
std::string own_folder();

}  // namespace bench
