// SPDX-License-Identifier: Apache-2.0
// Runs commands: in their own session, without our files and signals, so that they may outlive the server.
#pragma once

#include <sys/types.h>

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace control::providers {

struct Command {
  std::vector<std::string> words;                       // the first is looked up in PATH
  std::map<std::string, std::string> environment = {};  // added to the server's, whose secrets are left out
  bool finishes_alone = false;  // it goes on when its wait is cancelled; others are killed then
};

// Returns at once. Standard output and error are appended to the file.
base::Result<pid_t> spawn(Command command, const std::string& output_file);

// A command writes at most so much to each of its outputs; further writes fail.
inline constexpr std::size_t kMaxOutput = 1 << 20;

struct Finished {
  int status = 0;  // 128 plus the signal that ended the command
  std::string output, error;
};
// Waits for the end. Fails where the command cannot be run or does not end in time; it is killed then, with all of its
// session.
boost::asio::awaitable<base::Result<Finished>> run_command(Command command, base::Duration deadline);

// The last lines of a text, in one line: at most `most` characters, "a; b; c".
std::string last_lines(const std::string& text, std::size_t most = 500);
// The end of a file, at most 64 KiB; "" for a missing file.
std::string read_tail(const std::string& path);

boost::asio::awaitable<void> sleep_for(base::Duration duration);

}  // namespace control::providers
