// SPDX-License-Identifier: Apache-2.0
// The command line of `stoker work` and `stoker-work`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/log.h"
#include "worker/options.h"

namespace worker {

struct Arguments {
  Options options;
  std::optional<std::string> endpoint, region;
  base::LogLevel log_level = base::LogLevel::Info;
};

// Adds the options, checks and examples to a command.
void add_arguments(CLI::App& command, Arguments& arguments);

// After parsing: throws std::runtime_error unless exactly one processor was chosen.
void check_arguments(const Arguments& arguments);

// The program: settings of the environment, with the arguments before them.
int run_with(const Arguments& arguments);

}  // namespace worker
