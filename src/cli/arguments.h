// SPDX-License-Identifier: Apache-2.0
// The command line: each subcommand with its options, examples and checks.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/time.h"
#include "cli/commands.h"
#include "cli/standard_output.h"

namespace cli {

// Where the machines of EC2 instances come from.
struct ProviderArguments {
  std::string instance_types;  // a file
  std::string kind = "local";
  std::string join;  // "": the server's own address
  base::Duration timeout = std::chrono::minutes(5);
  // local
  std::optional<std::string> pool_gpus;  // without: see docs/providers.md
  std::optional<std::int64_t> pool_cpus, pool_memory_mib;
  std::optional<bool> pool_overcommit;
  std::string driver = "auto";
  base::Duration pool_stop_timeout = std::chrono::seconds(30);
  // command
  std::string start, stop, status;
  // slurm
  std::vector<std::string> slurm_options;
  std::string slurm_agent, slurm_gpus = "auto";
};

// `stoker up` and `stoker server`
struct ServerArguments {
  std::string data;
  std::string store;
  std::string listen = "127.0.0.1:4566";
  std::string tls_certificate, tls_key;
  std::optional<std::string> account;
  int threads = 0;
  base::Duration lost_after = std::chrono::minutes(65);
  base::Duration exec_idle = std::chrono::minutes(20);
  std::optional<base::Duration> exec_longest;
  base::Duration tracking_period = std::chrono::seconds(60);
  std::size_t max_connections = 36864, max_per_address = 0, max_per_account = 0;
  std::size_t unverified_body_mib = 256, account_body_mib = 1024;
  std::string metrics_token_file;
  std::vector<std::string> domains;
  bool no_test_events = false;
  bool webhook_private_networks = false;
  base::LogLevel log_level = base::LogLevel::Info;
  std::string objects_endpoint, objects_region = "us-east-1";
  std::vector<std::string> objects_allow;
  std::string objects_access_key_id, objects_secret_access_key;  // from the environment only
  bool no_agent = false;
  std::optional<std::uint64_t> reserve;
  std::optional<std::int64_t> account_max_bytes, account_max_queues, account_max_objects;
  std::vector<std::string> account_quotas;  // "222222222222:bytes=1T,queues=50"
  bool drop_damaged_log = false;
  ProviderArguments provider;
};

// `stoker agent`, and the agent inside `stoker up`
struct AgentArguments {
  std::string join, token, token_file, ca_file;
  std::string cluster = "default", region = "us-east-1";
  bool cluster_is_given = false, region_is_given = false;
  std::string data, name;
  std::string gpus = "auto", driver = "auto", image_pull = "default";
  std::string task_user, task_uids;
  std::vector<std::string> hidden;
  std::string instance_type, availability_zone;
  std::map<std::string, std::string> attributes, tags;
  std::optional<std::int64_t> cpu_units, memory_mib;
  std::int64_t reserved_memory_mib = 0;
  std::int64_t min_free_disk_mib = 256;
  std::optional<std::int64_t> max_logs_mib;
  bool gpu_default_runtime = false;
  std::string metrics_listen = "127.0.0.1:9400";
  base::Duration keep_stopped = std::chrono::hours(3);
  base::Duration stop_timeout = std::chrono::seconds(30);
  bool ephemeral = false, clean_up = false;
  base::Duration shutdown_timeout = std::chrono::seconds(30);
  base::LogLevel log_level = base::LogLevel::Info;
};

// The command to run after the command line is parsed.
using Command = std::function<int()>;

// $STOKER_DATA, or ~/.stoker
std::string default_data();

CLI::App* add_up(CLI::App& app, ServerArguments& server, AgentArguments& agent);
CLI::App* add_server(CLI::App& app, ServerArguments& server);
CLI::App* add_agent(CLI::App& app, AgentArguments& agent);

// --reserve and other options about the disk
void add_disk_options(CLI::App* command, ServerArguments& server);
// --account-max-bytes and other quotas
void add_quota_options(CLI::App* command, ServerArguments& server);
// backup, restore
void add_backup_commands(CLI::App& app, Options& options, Command& command);

// --provider and the options of each provider.
void add_provider_options(CLI::App* command, ProviderArguments& provider);

// env, status, key, token, scrub, context: commands about the server.
void add_server_commands(CLI::App& app, Options& options, Command& command);
// run, ps, stop, logs, nodes, gpus, explain
void add_cluster_commands(CLI::App& app, Options& options, Command& command);

// services, service scale|update|rollback|events|delete
void add_service_commands(CLI::App& app, Options& options, Command& command);

// groups, group show|set, scaling
void add_scaling_commands(CLI::App& app, Options& options, Command& command);

// submit, jobs, job show|retry|cancel|result, top
void add_job_commands(CLI::App& app, Options& options, Command& command);
// pipeline create|apply|diff|list|show|pause|resume|delete|key
void add_pipeline_commands(CLI::App& app, Options& options, Command& command);

// exec, attach, cp
void add_exec_commands(CLI::App& app, Options& options, Command& command);

// completion, man. Last: they describe the commands of `app`.
void add_reference_commands(CLI::App& app, const std::string& version, Command& command);
// Sets the examples of commands that have none of their own yet.
void add_examples(CLI::App& app);
// Names of values in the help, without the parser's notes: "FILE" of "FILE:FILE", "docker|process" of
// "TEXT:{docker,process}".
void simplify_value_names(CLI::App& app);

// queue ls|peek|send|redrive|purge, object ls|get|put|rm
void add_data_commands(CLI::App& app, Options& options, Command& command);
// cluster create|list|delete, context add|use|list|remove
void add_place_commands(CLI::App& app, Options& options, Command& command);

// Adds a subcommand that calls a server: see cli/connection.h. The action runs once the server is chosen, and its
// standard output is watched: see cli/standard_output.h.
CLI::App* add_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                     Command action);
// The same with --cluster, --region and --json.
CLI::App* add_cluster_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                             Command action);
// What add_client() makes of an action, for subcommands that choose theirs later.
Command client_command(Options& options, Command action, WhenClosed when_closed = WhenClosed::Ends);
inline constexpr char kServerGroup[] = "Server";  // of the options that choose it
void add_region(CLI::App* command, Options& options);
void add_cluster(CLI::App* command, Options& options);
void add_json(CLI::App* command, Options& options);

}  // namespace cli
