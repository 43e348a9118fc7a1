// SPDX-License-Identifier: Apache-2.0
// Runs a short command and waits for its end, without holding up the thread.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace agent::gpu {

struct Command {
  std::vector<std::string> words;                  // the first is looked for on PATH
  std::map<std::string, std::string> environment;  // added to ours
  std::string input;                               // short: less than a pipe holds
  std::string output_file;                         // stdout and stderr, replaced
  base::Duration deadline{10000};                  // then it is killed
};

// Its exit status; 128 and the signal where one ended it. An error: it could not be run, or was
// late.
boost::asio::awaitable<base::Result<int>> run_command(Command command);

}  // namespace agent::gpu
