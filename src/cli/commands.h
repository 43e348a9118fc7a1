// SPDX-License-Identifier: Apache-2.0
// The commands as functions. Each returns the exit status, and throws exceptions whose what() is one
// clear line.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/run_arguments.h"

namespace cli {

struct Options {
  std::string data;
  std::string region = "us-east-1";
  std::string cluster = "default";
  bool json = false;
};

// Prints exports that configure AWS clients for this server.
int env(const Options& options, std::ostream& out);
int status(const Options& options, std::ostream& out);

int key_create(const Options& options, const std::optional<std::string>& account, std::ostream& out);
// Reads lines of "ID SECRET" from `in`.
int key_import(const Options& options, const std::optional<std::string>& account, std::istream& in, std::ostream& out);
int key_list(const Options& options, std::ostream& out);
int key_delete(const Options& options, const std::string& id, std::ostream& out);

int webhook_create(const Options& options, const std::string& name, const std::string& url, std::ostream& out);
int webhook_list(const Options& options, std::ostream& out);
int webhook_delete(const Options& options, const std::string& name, std::ostream& out);

// Creates an access key for a machine and prints it as a join token.
int token(const Options& options, std::ostream& out);

// Verifies all objects. Returns 1 when some are damaged.
int scrub(const Options& options, std::ostream& out);

// Returns the container's exit status, 1 when the task cannot be placed, or 125 when it did not start.
int run(const Options& options, const RunArguments& arguments, std::ostream& out, std::ostream& err);

struct PsArguments {
  bool all = false;         // includes tasks that stopped within the last hour
  bool by_service = false;  // ordered by service; tasks without one come last
};
int ps(const Options& options, const PsArguments& arguments, std::ostream& out);
// `tasks` and other task arguments are ids or unique prefixes.
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

// Returns 2 when the task definition cannot be placed now.
int explain(const Options& options, const std::string& what, std::ostream& out);
int explain_service(const Options& options, const std::string& service, std::ostream& out);

// `service` and other service arguments are names or ARNs.
int services(const Options& options, std::ostream& out);
int service_scale(const Options& options, const std::string& service, int count, std::ostream& out);
struct ServiceUpdate {
  std::string service;
  std::optional<std::string> task_definition;
  bool force = false;
  std::optional<int> minimum_percent, maximum_percent;
};
int service_update(const Options& options, const ServiceUpdate& update, std::ostream& out);
// Returns to the previous task definition; stops a deployment that is in progress.
int service_rollback(const Options& options, const std::string& service, std::ostream& out);
int service_delete(const Options& options, const std::string& service, bool force, std::ostream& out);
// Oldest first. `follow`: until the service is deleted.
int service_events(const Options& options, const std::string& service, bool follow, std::ostream& out);

// Auto Scaling groups.
int groups(const Options& options, std::ostream& out);
int group_show(const Options& options, const std::string& group, std::ostream& out);
struct GroupSizes {
  std::string group;
  std::optional<int> min, max, desired;
};
int group_set(const Options& options, const GroupSizes& sizes, std::ostream& out);
int explain_group(const Options& options, const std::string& group, std::ostream& out);
// Of a group or of a service.
int explain_policy(const Options& options, const std::string& policy, std::ostream& out);

struct ScalingArguments {
  std::optional<std::string> group, service;  // only of this one
  std::size_t most = 20;
};
// What changed desired counts of groups and services, the newest first.
int scaling(const Options& options, const ScalingArguments& arguments, std::ostream& out);

// Jobs of pipelines.
struct SubmitArguments {
  std::string pipeline;
  std::vector<std::string> files;  // "-" is standard input
  bool wait = false;
  std::string output = ".";  // the folder for results
  std::optional<std::string> id;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::optional<int> priority;
  std::optional<std::string> webhook;
  bool progress_bar = false;
  int standard_input = 0;  // a descriptor
};
// Returns 1 when a job failed, or was not accepted.
int submit(const Options& options, const SubmitArguments& arguments, std::ostream& out, std::ostream& err);

struct JobsArguments {
  std::optional<std::string> pipeline, status;
  std::size_t most = 20;
  bool watch = false;  // prints each change
};
int jobs(const Options& options, const JobsArguments& arguments, std::ostream& out);
struct JobArguments {
  std::string id;
  std::optional<std::string> pipeline = {};  // where several have a job of this id
};
int job_show(const Options& options, const JobArguments& job, std::ostream& out);
// `verb` is "retry" or "cancel".
int job_change(const Options& options, const JobArguments& job, const std::string& verb, std::ostream& out);
// Prints the result's bytes.
int job_result(const Options& options, const JobArguments& job, std::ostream& out);

// A screen that changes each second, until q is pressed. `once`: one frame, without control characters.
int top(const Options& options, bool once, std::ostream& out);

}  // namespace cli
