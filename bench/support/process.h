// SPDX-License-Identifier: Apache-2.0
// A server process of the benchmark.
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
  std::vector<std::string> environment;  // "NAME=value", in addition to ours
  std::string log_file;                  // for its standard error
};

class Process {
 public:
  // In its own process group. It does not outlive this program.
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // The first line of its output that contains `mark`. Throws if the process ends, or if
  // there is no such line in time.
  std::string wait_for_line(std::string_view mark, Seconds patience);

  // SIGTERM; SIGKILL if it does not end in time.
  void stop(Seconds patience);
  bool running();

  // The CPU time of the whole group so far.
  Seconds cpu() const;
  // The peak memory of the process, in bytes.
  std::uint64_t peak_memory() const;

 private:
  void end_with_group(int signal);

  pid_t pid_ = -1;
  int output_ = -1;
  std::string log_file_;
};

// The CPU time of this program so far.
Seconds own_cpu();

// The full path of a program, or "".
std::string find_program(const std::string& name);

// The folder of this program, which also has the programs that are built with it.
std::string own_folder();

}  // namespace bench
