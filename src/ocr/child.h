// SPDX-License-Identifier: Apache-2.0
// A process that this one starts, confined, with descriptors instead of files.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ocr/confine.h"
#include "ocr/descriptor.h"

namespace ocr {

using Deadline = std::chrono::steady_clock::time_point;

// Milliseconds until then for poll(2), 0 if it has passed.
int milliseconds_until(Deadline deadline);

struct ChildCommand {
  std::vector<std::string> arguments;  // the program first, looked up in PATH
  std::vector<std::string> environment;
  // Descriptors 0, 1 and 2 of the process; -1: this process's own.
  int input = -1, output = -1, errors = -1;
  ResourceLimits limits;
  bool hidden_files = false;  // hide_files() and filter_calls() before it starts
};

// A child has exactly one owner, which ends it at the latest when it is destroyed.
class Child {
 public:
  Child() = default;
  // Throws std::system_error. A program that does not exist ends with kNotStarted.
  explicit Child(const ChildCommand& command);
  Child(Child&& other) noexcept : pid_(std::exchange(other.pid_, -1)), handle_(std::move(other.handle_)) {}
  Child& operator=(Child&& other) noexcept;
  ~Child() { end(); }

  explicit operator bool() const { return pid_ > 0; }
  bool has_ended() const;
  // Waits until it has ended; false at the deadline.
  bool wait(Deadline deadline) const;
  // Kills it if it runs; returns its status as wait(2) has it, 0 without a child.
  int end();

 private:
  pid_t pid_ = -1;
  Descriptor handle_;  // readable when the process has ended
};

inline constexpr int kNotStarted = 127;  // exit status of a program that is missing, as in a shell

// "ended with signal 11 (Segmentation fault)", "ended with status 1".
std::string describe_status(int status);

}  // namespace ocr
