// SPDX-License-Identifier: Apache-2.0
// Standard output of a command: the command ends when nobody reads it any more, and an error of writing is reported.
#pragma once

#include <functional>
#include <thread>

namespace cli {

inline constexpr int kClosedPipe = 141;  // the exit status of a program that SIGPIPE ends, as shells show it

// Calls `when_closed` once, on a thread of its own, when the reader of a pipe or socket has closed it. Does nothing for
// files and terminals.
class ClosedPipe {
 public:
  ClosedPipe(int descriptor, std::function<void()> when_closed);
  ~ClosedPipe();
  ClosedPipe(const ClosedPipe&) = delete;

 private:
  void watch(int descriptor);

  std::function<void()> when_closed_;
  int stop_[2] = {-1, -1};
  std::thread thread_;
};

// `Ends`: the process ends with kClosedPipe. `CommandActs`: the command has a ClosedPipe of its own.
enum class WhenClosed { Ends, CommandActs };

// Runs a command of the command line with std::cout. Returns its status, or 1 if its output could not be written.
int run_with_standard_output(const std::function<int()>& command, WhenClosed when_closed = WhenClosed::Ends);

}  // namespace cli
