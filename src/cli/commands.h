// SPDX-License-Identifier: Apache-2.0
// The commands as functions. Each returns the exit status, and throws exceptions whose what() is one
// clear line.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "cli/run_arguments.h"
#include "client/request.h"

namespace cli {

struct Options {
  std::string data;
  std::string region = "us-east-1";
  std::string cluster = "default";
  bool json = false;
  // A server elsewhere: see cli/connection.h.
  std::string endpoint, profile, context, ca_file;
  bool data_is_given = false, region_is_given = false, cluster_is_given = false;
  std::optional<client::Profile> remote;  // none: the server of the data folder
};

// Prints exports that configure AWS clients for this server.
int env(const Options& options, std::ostream& out);
int status(const Options& options, std::ostream& out);

// Of named servers. The secret of `access_key` is read from `in`.
int context_add(const Options& options, const std::string& name, const std::string& access_key, std::istream& in,
                std::ostream& out);
int context_use(const Options& options, const std::string& name, std::ostream& out);
int context_remove(const Options& options, const std::string& name, std::ostream& out);
int context_list(const Options& options, std::ostream& out);

int cluster_create(const Options& options, const std::string& name, std::ostream& out);
int cluster_delete(const Options& options, const std::string& name, std::ostream& out);
// In all regions.
int cluster_list(const Options& options, std::ostream& out);

int key_create(const Options& options, const std::optional<std::string>& account, std::ostream& out);
// The key of a machine whose agent has no join token: Amazon's. Prints it as lines of its configuration.
int key_create_for_agent(const Options& options, const std::optional<std::string>& account,
                         const std::optional<std::string>& cluster, std::ostream& out);
// Reads lines of "ID SECRET" from `in`.
int key_import(const Options& options, const std::optional<std::string>& account, std::istream& in, std::ostream& out);
int key_list(const Options& options, std::ostream& out);
// What accounts use, and their quotas.
int account_usage(const Options& options, std::ostream& out);
int key_delete(const Options& options, const std::string& id, std::ostream& out);

int webhook_create(const Options& options, const std::string& name, const std::string& url, std::ostream& out);
int webhook_list(const Options& options, std::ostream& out);
int webhook_delete(const Options& options, const std::string& name, std::ostream& out);

struct TokenArguments {
  std::optional<std::string> account;  // the caller's
  std::optional<std::string> cluster;  // absent: machines may join any cluster
  base::Duration ttl = std::chrono::hours(1);
  int uses = 1;
};
// Creates a join token, and prints it with the command that uses it.
int token_create(const Options& options, const TokenArguments& arguments, std::ostream& out);
// With this machine's name in place of a loopback host, which other machines cannot reach.
std::string reachable_url(const std::string& endpoint);
int token_list(const Options& options, std::ostream& out);
int token_revoke(const Options& options, const std::string& id, std::ostream& out);

// Verifies all objects. Returns 1 when some are damaged.
int scrub(const Options& options, std::ostream& out);

struct BackupArguments {
  std::string folder;
  bool verify = false;  // reads a backup instead of making one
};
// Returns 1 when the backup is damaged.
int backup(const Options& options, const BackupArguments& arguments, std::ostream& out);
// `options.data` must be absent or empty.
int restore(const Options& options, const std::string& folder, std::ostream& out);

// Returns the container's exit status, 1 when the task cannot be placed, or 125 when it did not start.
int run(const Options& options, const RunArguments& arguments, std::ostream& out, std::ostream& err);

struct PsArguments {
  bool all = false;         // includes tasks that stopped within the last hour
  bool by_service = false;  // ordered by service; tasks without one come last
  bool quiet = false;       // prints ids only
  bool watch = false;       // prints again after each change
  std::vector<std::string> filters = {};  // "status=RUNNING": see cli/ps_selection.h
  std::string format = {};                // "{{.ID}} {{.Status}}"
};
int ps(const Options& options, const PsArguments& arguments, std::ostream& out);
// `tasks` and other task arguments are ids, unique prefixes, or names of families with one task.
int stop(const Options& options, const std::vector<std::string>& tasks, const std::string& reason, std::ostream& out);

// Until they have stopped; prints the exit code of each.
int wait(const Options& options, const std::vector<std::string>& tasks, std::ostream& out);

struct LogArguments {
  std::string task;  // or a family, or a service
  std::optional<std::string> container = {};
  bool follow = false, timestamps = false;
  std::optional<int> tail = {};
  std::string since = {};  // "10m", "2026-11-18T12:00:00Z", seconds since 1970; "": from the beginning
};
int logs(const Options& options, const LogArguments& arguments, std::ostream& out, std::ostream& err);

// `watch`: prints again after each change.
int gpus(const Options& options, bool watch, std::ostream& out);
int nodes(const Options& options, bool watch, std::ostream& out);
enum class NodeChange { Drain, Activate, Remove };
struct NodeArguments {
  NodeChange change = NodeChange::Drain;
  std::string machine;
  bool force = false;  // Remove: even if tasks run on it
  bool wait = false;   // Drain: until it has no tasks
};
int change_node(const Options& options, const NodeArguments& arguments, std::ostream& out, std::ostream& err);

// Prints changes of tasks and machines as they happen, until the process is interrupted.
int events(const Options& options, std::ostream& out);
// The JSON of a task, machine, service, GPU or task definition, whichever has this name.
int inspect(const Options& options, const std::vector<std::string>& names, std::ostream& out);
// Ends the server of the data folder.
int down(const Options& options, std::ostream& out);
// "2 tasks go on: 3fa94c1b2d77 of train:3, ...": what continues without the server of the data folder.
std::string tasks_that_go_on(const Options& options);

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

// `queue` and other queue arguments are names or URLs.
int queue_list(const Options& options, std::ostream& out);
int queue_peek(const Options& options, const std::string& queue, int most, std::ostream& out);
struct QueueMessage {
  std::string queue;
  std::string body;  // "-": from `in`
  std::optional<std::string> group, deduplication_id;
  std::optional<int> delay_seconds;
};
int queue_send(const Options& options, const QueueMessage& message, std::istream& in, std::ostream& out);
// `to`: none for the queues that the messages came from.
int queue_redrive(const Options& options, const std::string& queue, const std::optional<std::string>& to, std::ostream& out);
int queue_purge(const Options& options, const std::string& queue, std::ostream& out);

// `object` is BUCKET/KEY, also with s3:// before it; of object_list "", a bucket, or the beginning of a key.
int object_list(const Options& options, const std::string& object, bool recursive, std::ostream& out);
// `file`: "-" is `out`; "" is the last part of the key.
int object_get(const Options& options, const std::string& object, const std::string& file, std::ostream& out);
int object_put(const Options& options, const std::string& file, const std::string& object, std::istream& in, std::ostream& out);
int object_remove(const Options& options, const std::string& object, std::ostream& out);

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

// A screen that changes each second, until q is pressed. `once`, or JSON: one frame, without control characters.
int top(const Options& options, bool once, std::ostream& out);

}  // namespace cli
