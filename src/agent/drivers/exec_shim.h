// SPDX-License-Identifier: Apache-2.0
// `stoker exec-shim`: the parent of a command that is executed in a running task, or the guard of one that an engine has
// started. The agent holds the other end of a socket: when that closes, for whatever reason, the command gets SIGHUP, and
// SIGKILL a little later. So no command outlives its client, or an agent that was killed.
//
// Lines on the socket. To the shim: the spec as JSON, first; then "signal N". From the shim: "started PID", or
// "failed CODE REASON", which is the last; then "ended CODE".
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/drivers/shim_folder.h"

namespace agent::drivers {

inline constexpr int kExecControlFd = 3;

struct ExecSpec {
  // A guard: the leader of a session that an engine has started, and its start time. 0: not a guard.
  std::int64_t guarded = 0;
  std::int64_t guarded_ticks = 0;
  // Otherwise: the first process of the task, and its start time, since process ids are reused.
  std::int64_t target = 0;
  std::int64_t target_ticks = 0;
  std::vector<std::string> command;
  std::vector<std::string> joins;  // cgroup files that the command joins
  std::optional<ShimIsolation> isolation;  // of the task: /proc does not show all of it
  bool terminal = false;           // its stdin, stdout and stderr, which the shim was started with
  std::string term;
};
BOOST_DESCRIBE_STRUCT(ExecSpec, (), (guarded, guarded_ticks, target, target_ticks, command, joins, isolation,
    terminal, term))

int run_exec_shim();

}  // namespace agent::drivers
