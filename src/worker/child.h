// SPDX-License-Identifier: Apache-2.0
// A command as a process group of its own. Its stderr goes to ours, and its last lines are kept for error messages.
#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "base/words.h"

namespace worker {

struct ChildCommand {
  std::vector<std::string> words;
  bool pipes = false;           // stdin and stdout are pipes to us
  std::string output_file = {};  // else stdout goes to this new file; "": to our stderr
};

// The words of a command: for a shell if there is one, else split at spaces, with quotes as in a shell.
std::vector<std::string> command_words(const std::string& command);

class Child {
 public:
  using Pipe = boost::asio::posix::stream_descriptor;

  // The error names the command and the reason.
  static base::Result<std::unique_ptr<Child>> start(const boost::asio::any_io_executor& executor, ChildCommand command);
  ~Child();  // kills what is left of the group
  Child(const Child&) = delete;

  Pipe& input() { return input_; }
  Pipe& output() { return output_; }

  // Waits for the command's end, at most `longest`. nullopt: it still runs. Otherwise the status of waitpid().
  boost::asio::awaitable<std::optional<int>> wait(base::Duration longest);
  // Copies stderr until its end.
  boost::asio::awaitable<void> copy_errors();
  // The end of what it has written to stderr, without line ends around it.
  std::string last_errors();

  // SIGKILL to the whole group.
  void kill();

 private:
  explicit Child(const boost::asio::any_io_executor& executor);
  void copy_error(std::string_view text);

  pid_t pid_ = 0;
  std::optional<int> status_;
  Pipe process_, input_, output_, errors_;
  std::string last_errors_;
};

// "exit code 3", "killed by SIGSEGV"
std::string describe_status(int status);

}  // namespace worker
