// SPDX-License-Identifier: Apache-2.0
// The command line's commands, as functions: each answers the exit status and throws
// what has one clear line in what().
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "cli/run_arguments.h"

namespace cli {

struct Options {
  std::string data;
  std::string region = "us-east-1";
  std::string cluster = "default";
  bool json = false;
};

// Exports that point stock clients at this Stoker.
int env(const Options& options, std::ostream& out);
int status(const Options& options, std::ostream& out);

int key_create(const Options& options, const std::optional<std::string>& account, std::ostream& out);
// Lines "ID SECRET" from `in`.
int key_import(const Options& options, const std::optional<std::string>& account, std::istream& in, std::ostream& out);
int key_list(const Options& options, std::ostream& out);
int key_delete(const Options& options, const std::string& id, std::ostream& out);

// Makes an access key for a machine that is to join.
int token(const Options& options, std::ostream& out);

// Reads all objects again. 1: some are not what was uploaded.
int scrub(const Options& options, std::ostream& out);

// The container's exit status, or 1 where the task was not placed.
int run(const Options& options, const RunArguments& arguments, std::ostream& out, std::ostream& err);

// `all`: those that stopped within the last hour, too.
int ps(const Options& options, bool all, std::ostream& out);
// Tasks are named by their ids or by how those begin, here and below.
int stop(const Options& options, const std::vector<std::string>& tasks, const std::string& reason, std::ostream& out);

struct LogArguments {
  std::string task;
  std::optional<std::string> container;
  bool follow = false, timestamps = false;
  std::optional<int> tail;
};
int logs(const Options& options, const LogArguments& arguments, std::ostream& out, std::ostream& err);

int gpus(const Options& options, std::ostream& out);
int nodes(const Options& options, std::ostream& out);
enum class NodeChange { Drain, Activate, Remove };
int change_node(const Options& options, NodeChange change, const std::string& machine, bool force, std::ostream& out);

// 2: the task definition can't be placed now.
int explain(const Options& options, const std::string& what, std::ostream& out);

}  // namespace cli
