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
  base::Duration tracking_period = std::chrono::seconds(60);
  std::vector<std::string> domains;
  bool no_test_events = false;
  bool webhook_private_networks = false;
  base::LogLevel log_level = base::LogLevel::Info;
  std::string objects_endpoint, objects_region = "us-east-1";
  std::vector<std::string> objects_allow;
  std::string objects_access_key_id, objects_secret_access_key;  // from the environment only
  bool no_agent = false;
  ProviderArguments provider;
};

// `stoker agent`, and the agent inside `stoker up`
struct AgentArguments {
  std::string join, token, token_file, ca_file;
  std::string cluster = "default", region = "us-east-1";
  std::string data, name;
  std::string gpus = "auto", driver = "auto";
  std::string instance_type, availability_zone;
  std::map<std::string, std::string> attributes, tags;
  std::optional<std::int64_t> cpu_units, memory_mib;
  std::int64_t reserved_memory_mib = 0;
  std::int64_t min_free_disk_mib = 256;
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

// --provider and the options of each provider.
void add_provider_options(CLI::App* command, ProviderArguments& provider);

// env, status, key, token, scrub: commands about the server.
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

// Adds a subcommand that calls the server of the data folder.
CLI::App* add_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                     Command action);
// The same with --cluster, --region and --json.
CLI::App* add_cluster_client(CLI::App& app, Options& options, Command& command, const char* name, const char* help,
                             Command action);

}  // namespace cli
