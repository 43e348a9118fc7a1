// SPDX-License-Identifier: Apache-2.0
// Commands that enter containers. Each returns the exit status.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/commands.h"

namespace cli {

struct ExecArguments {
  std::string task;  // an id, a unique prefix, or the name of a family or service with one task
  std::optional<std::string> container;
  bool interactive = false, tty = false;
  std::vector<std::string> command;
};
// The exit code is the command's.
int exec(const Options& options, const ExecArguments& arguments);

struct AttachArguments {
  std::string task;
  std::optional<std::string> container;
  bool no_input = false;
};
// To a container's own process. Ctrl-P Ctrl-Q leaves it running.
int attach(const Options& options, const AttachArguments& arguments);

// `run`, and with -i or -t attached to the container's own process. Ctrl-P Ctrl-Q leaves it running.
int run_or_attach(const Options& options, const RunArguments& arguments, std::ostream& out, std::ostream& err);

struct CopyArguments {
  std::string source, target;  // one of them is TASK:PATH; the other is a path, or - for a tar archive
  std::optional<std::string> container;
};
int copy(const Options& options, const CopyArguments& arguments);

}  // namespace cli
