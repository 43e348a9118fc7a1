// SPDX-License-Identifier: Apache-2.0
// Runs a short command and waits for its end without blocking the thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace agent::gpu {

struct Command {
  std::vector<std::string> words;                  // the first is looked up in PATH
  std::map<std::string, std::string> environment;  // added to the agent's
  std::string input;                               // must fit into a pipe
  std::string output_file;                         // for stdout and stderr; overwritten
  base::Duration deadline{10000};                  // then the command is killed
};

// Returns the exit status, or 128 plus the signal that ended the command. Fails when the command
// cannot be run or exceeds its deadline.
boost::asio::awaitable<base::Result<int>> run_command(Command command);

}  // namespace agent::gpu
