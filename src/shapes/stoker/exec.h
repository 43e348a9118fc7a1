// SPDX-License-Identifier: Apache-2.0
// StokerExec, an operation of our own beside ECS's ExecuteCommand: with separate standard streams, an end of input, the
// exit code, or the container's own process instead of a command. Spoken by the `stoker` command only. It answers as
// ExecuteCommand does.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "wire/traits.h"

namespace shapes::stoker {

struct StokerExecRequest {
  std::optional<std::string> cluster;
  std::string task;
  std::optional<std::string> container;  // of a task with several
  std::optional<std::vector<std::string>> command;  // its words; none with `attach`
  std::optional<bool> interactive;  // standard input is forwarded
  std::optional<bool> tty;
  std::optional<bool> attach;  // to the container's own process
  std::optional<bool> logs;    // with attach: its output so far comes first
  std::optional<std::int32_t> rows, columns;  // of the terminal
  std::optional<std::string> term;  // the variable TERM
};
BOOST_DESCRIBE_STRUCT(StokerExecRequest, (), (cluster, task, container, command, interactive, tty, attach, logs, rows,
    columns, term))

// What a session keeps of its request, between the operation and the data channel.
struct StokerExecSpec {
  std::string taskArn;
  std::string command;                 // of ECS: one text
  std::vector<std::string> arguments;  // of StokerExec: words
  bool interactive = true, tty = true, attach = false, logs = false;
  std::int32_t rows = 24, columns = 80;
  std::string term;
  bool ours = false;  // the client is `stoker`: separate streams and the exit code
  // Where the output is copied to.
  std::optional<std::string> logGroup;
  std::optional<std::string> bucket, keyPrefix;
};
BOOST_DESCRIBE_STRUCT(StokerExecSpec, (), (taskArn, command, arguments, interactive, tty, attach, logs, rows, columns, term,
    ours, logGroup, bucket, keyPrefix))

}  // namespace shapes::stoker

template <>
inline constexpr auto wire::kTraits<shapes::stoker::StokerExecRequest> = wire::traits({
    {.member = "task", .required = true},
    {.member = "rows", .min = 1, .max = 65535},
    {.member = "columns", .min = 1, .max = 65535},
});
