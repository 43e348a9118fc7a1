// SPDX-License-Identifier: Apache-2.0
// The command line: subcommand -> control, agent, worker, cli.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>

#include "agent/agent.h"
#include "agent/drivers/exec_shim.h"
#include "agent/drivers/shim.h"
#include "agent/gpu/gpu.h"
#include "agent/machine_key.h"
#include "agent/registration.h"
#include "base/stop_signals.h"
#include "base/systemd.h"
#include "cli/arguments.h"
#include "cli/terminal_text.h"
#include "cli/token_file.h"
#include "cli/usage.h"
#include "control/start.h"
#include "state/keys.h"
#include "wire/error.h"
#include "worker/arguments.h"
#include "worker/run.h"

extern const char kCommit[];  // of the checkout that was built: cmake/commit.cmake

namespace {

constexpr char kExamples[] = R"text(
Examples:
  stoker up                            start a server on 127.0.0.1:4566, with this machine's GPUs
  stoker run --gpus 1 IMAGE -- CMD     run a command on one GPU and show its output
  stoker ps; stoker gpus               list tasks and GPUs
  eval "$(stoker env)"                 point stock clients at the server
  aws ecs list-tasks                   use it with stock clients
  stoker token                         add another machine
)text";

struct Arguments {
  cli::Options options;
  cli::ServerArguments server;
  cli::AgentArguments agent;
  worker::Arguments worker;
  cli::Command command;
};

agent::Options agent_options(const cli::AgentArguments& given) {
  agent::Options options;
  options.server = given.join;
  options.ca_file = given.ca_file;
  options.region = given.region;
  options.cluster = given.cluster;
  options.data = given.data;
  options.name = given.name;
  options.version = STOKER_VERSION;
  options.gpus = given.gpus;
  options.driver = given.driver;
  options.image_pull = given.image_pull;
  options.task_user = given.task_user;
  options.task_uids = given.task_uids;
  options.hidden = given.hidden;
  if (!given.token_file.empty()) options.hidden.push_back(given.token_file);
  options.instance_type = given.instance_type;
  options.availability_zone = given.availability_zone;
  options.attributes = given.attributes;
  options.cpu_units = given.cpu_units;
  options.memory_mib = given.memory_mib;
  options.reserved_memory_mib = given.reserved_memory_mib;
  options.min_free_disk_mib = given.min_free_disk_mib;
  options.max_logs_mib = given.max_logs_mib;
  options.gpu_default_runtime = given.gpu_default_runtime;
  options.keep_stopped = given.keep_stopped;
  options.stop_timeout = given.stop_timeout;
  options.tags = given.tags;
  if (given.metrics_listen != "none") {
    auto listen = control::parse_listen(given.metrics_listen);
    if (!listen) throw cli::UsageError("--metrics-listen: " + listen.error());
    options.metrics_address = listen->address;
    options.metrics_port = listen->port;
  }
  return options;
}

// The part of this machine that the local provider hands out. Simulated GPUs differ from those of an agent beside it.
void set_pool(control::providers::ProviderOptions& options, const cli::ProviderArguments& given, bool with_agent) {
  std::string gpus = given.pool_gpus.value_or(with_agent ? "none" : "auto");
  const bool simulated = gpus.starts_with("fake:");
  if (simulated && gpus.find('@') == gpus.npos) gpus += "@" + agent::host_name() + "-pool";
  auto found = agent::gpu::list_gpus(gpus, agent::host_name());
  if (!found) throw std::runtime_error("--pool-gpus: " + found.error());
  for (const agent::gpu::Gpu& gpu : *found) options.pool.gpus.push_back({gpu.id, gpu.model});
  options.gpu_source = simulated ? gpus.substr(0, gpus.find('#')) : "auto";
  const agent::HostSize host = agent::host_size();
  options.pool.vcpus = given.pool_cpus.value_or(host.cores);
  options.pool.memory_mib = given.pool_memory_mib.value_or(host.memory_mib);
  options.pool.overcommit = given.pool_overcommit.value_or(simulated);
}

control::providers::ProviderOptions provider_options(const cli::ServerArguments& server, bool with_agent) {
  const cli::ProviderArguments& given = server.provider;
  control::providers::ProviderOptions options;
  options.kind = given.kind;
  options.join = given.join;
  options.ca_file = server.tls_certificate;
  options.timeout = given.timeout;
  options.driver = given.driver;
  options.stop_timeout = given.pool_stop_timeout;
  options.start = given.start;
  options.stop = given.stop;
  options.status = given.status;
  options.slurm_options = given.slurm_options;
  options.slurm_agent = given.slurm_agent;
  options.slurm_gpus = given.slurm_gpus;
  if (given.kind == "local") set_pool(options, given, with_agent);
  return options;
}

// The agent of `stoker up` gets the real GPUs that the pool leaves.
std::string gpus_beside(const control::providers::ProviderOptions& provider, const std::string& gpus) {
  if (gpus != "auto" || provider.gpu_source != "auto" || provider.pool.gpus.empty()) return gpus;
  const auto all = agent::gpu::list_gpus("auto", "");
  if (!all) throw std::runtime_error(all.error());
  std::string rest = "none";
  for (const agent::gpu::Gpu& gpu : *all) {
    const bool pooled = std::ranges::find(provider.pool.gpus, gpu.id, &control::providers::PoolGpu::id) != provider.pool.gpus.end();
    if (!pooled) rest = (rest == "none" ? "" : rest + ",") + gpu.id;
  }
  return rest;
}

control::Config server_config(const cli::ServerArguments& given, bool with_agent) {
  auto listen = control::parse_listen(given.listen);
  if (!listen) throw cli::UsageError("--listen: " + listen.error());
  control::Config config;
  config.data = given.data;
  config.address = listen->address;
  config.port = listen->port;
  config.store = given.store;
  config.tls_certificate = given.tls_certificate;
  config.tls_key = given.tls_key;
  if (given.account) config.account = *given.account;
  config.threads = given.threads;
  config.services.lost_after = given.lost_after;
  config.services.exec_idle = given.exec_idle;
  config.services.exec_longest = given.exec_longest;
  config.services.tracking_period = given.tracking_period;
  config.connections = {given.max_connections, given.max_per_address, given.max_per_account};
  config.unverified_body_bytes = given.unverified_body_mib << 20;
  config.account_body_bytes = given.account_body_mib << 20;
  if (!given.metrics_token_file.empty()) {
    auto token = control::read_token_file(given.metrics_token_file);
    if (!token) throw std::runtime_error(token.error());
    config.metrics_token = std::move(*token);
  }
  config.domains = given.domains;
  config.services.test_events = !given.no_test_events;
  config.webhook_private_networks = given.webhook_private_networks;
  config.reserve = given.reserve;
  const services::Quota quota{given.account_max_bytes, given.account_max_queues, given.account_max_objects};
  auto quotas = control::account_quotas(quota, given.account_quotas);
  if (!quotas) throw cli::UsageError(quotas.error());
  config.services.quotas = std::move(*quotas);
  config.drop_damaged_log = given.drop_damaged_log;
  config.log_level = given.log_level;
  auto allowed = control::allowed_buckets(given.objects_allow);
  if (!allowed) throw std::runtime_error(allowed.error());
  auto objects = control::external_objects({given.objects_endpoint, given.objects_region, given.objects_access_key_id,
                                            given.objects_secret_access_key, std::move(*allowed)});
  if (!objects) throw std::runtime_error(objects.error());
  config.objects = std::move(*objects);
  config.provider = provider_options(given, with_agent);
  config.services.instance_types_file = given.provider.instance_types;
  return config;
}

int run_server(const Arguments& arguments) {
  return control::up(server_config(arguments.server, false), STOKER_VERSION);
}

// The key of the agent beside the server. It is on disk before the server stores it, so that none is left over.
signing::Credentials key_beside(control::Server& server, const std::string& data) {
  std::filesystem::create_directories(data);
  agent::MachineKeyFile file = agent::read_machine_key(data);
  if (file.accessKeyId.empty() || !server.has_machine_key(file.accessKeyId)) {
    const state::Key key = state::new_machine_key("", {});
    file = {};
    file.accessKeyId = key.id;
    file.secretAccessKey = key.secret;
    agent::write_machine_key(data, file);
    server.add_machine_key(key.id, key.secret);
  }
  return {file.accessKeyId, file.secretAccessKey, ""};
}

void print_what_goes_on(const Arguments& arguments) {
  cli::Options options;
  options.data = arguments.server.data;
  options.region = arguments.agent.region;
  options.cluster = arguments.agent.cluster;
  std::printf("\nstopping; %s\n", cli::tasks_that_go_on(options).c_str());
  std::fflush(stdout);
}

// A server, with this machine as its first agent.
int run_up(const Arguments& arguments) {
  if (arguments.server.no_agent) return run_server(arguments);
  const control::Config config = server_config(arguments.server, true);
  std::unique_ptr<agent::Agent> inside;
  control::Companion companion;
  companion.start = [&](control::Server& server) {
    agent::Options options = agent_options(arguments.agent);
    options.server = server.url();
    options.ca_file = arguments.server.tls_certificate;
    options.data = arguments.server.data + "/agent";
    options.credentials = key_beside(server, options.data);
    options.hidden.push_back(arguments.server.data);
    if (!arguments.server.tls_key.empty()) options.hidden.push_back(arguments.server.tls_key);
    options.gpus = gpus_beside(config.provider, options.gpus);
    inside = std::make_unique<agent::Agent>(std::move(options));
    inside->start();
  };
  companion.stop = [&] {
    if (::isatty(STDOUT_FILENO) != 0) print_what_goes_on(arguments);
    inside.reset();
  };
  return control::up(config, STOKER_VERSION, companion);
}

agent::JoinOptions join_options(const cli::AgentArguments& arguments) {
  return {arguments.join, arguments.ca_file, arguments.data, arguments.token};
}

// Ends of tasks are reported if the machine has a key.
int clean_up(const cli::AgentArguments& arguments) {
  agent::Options options = agent_options(arguments);
  options.credentials = agent::known_credentials(join_options(arguments)).value_or(signing::Credentials());
  agent::Agent agent(std::move(options));
  return agent.shut_down(arguments.shutdown_timeout) ? 0 : 1;
}

int run_agent(cli::AgentArguments given) {
  base::StopSignals stop;  // before the agent's threads
  base::set_log_level(given.log_level);
  cli::use_token_file(given);
  // Tasks must neither inherit the token nor find it in /proc.
  if (char* token = std::getenv("STOKER_TOKEN")) std::memset(token, 0, std::strlen(token));
  ::unsetenv("STOKER_TOKEN");
  if (given.clean_up) return clean_up(given);
  agent::Options options = agent_options(given);
  auto credentials = agent::machine_credentials(join_options(given),
                                                [&](base::Duration most) { return !stop.wait_for(most); });
  if (!credentials) return 0;
  options.credentials = std::move(*credentials);
  std::atomic<bool> removed = false;
  options.on_removed = [&] {
    removed = true;
    stop.raise();
  };
  agent::Agent agent(std::move(options));
  agent.start();
  std::printf("stoker agent %s joins cluster %s at %s, its data in %s\n", STOKER_VERSION,
              given.cluster.c_str(), given.join.c_str(), given.data.c_str());
  std::fflush(stdout);
  base::notify_systemd("READY=1");
  stop.wait();
  stop.let_through();
  if (given.ephemeral) {
    const bool ended = agent.shut_down(given.shutdown_timeout);
    return ended && !removed ? 0 : 1;
  }
  agent.stop();
  return removed ? 1 : 0;
}

// Names from outside cannot move the cursor; a message may have several lines.
void print_error(const std::string& text) {
  std::string safe;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    safe += (begin ? "\n" : "") + cli::terminal_text(text.substr(begin, end - begin));
    begin = end + 1;
  }
  std::fprintf(stderr, "stoker: %s\n", safe.c_str());
}

void add_commands(CLI::App& app, Arguments& arguments) {
  arguments.options.data = arguments.server.data = cli::default_data();
  arguments.agent.data = cli::default_data() + "/agent";
  CLI::App* up = cli::add_up(app, arguments.server, arguments.agent);
  up->callback([&, up] {
    // A person at a terminal sees one line, and then what needs attention.
    const bool quiet = up->count("--log-level") == 0 && ::isatty(STDERR_FILENO) != 0;
    if (quiet) arguments.server.log_level = base::LogLevel::Warn;
    arguments.command = [&] { return run_up(arguments); };
  });
  cli::add_server(app, arguments.server)->callback([&] { arguments.command = [&] { return run_server(arguments); }; });
  cli::add_agent(app, arguments.agent)->callback([&] { arguments.command = [&] { return run_agent(arguments.agent); }; });
  CLI::App* work = app.add_subcommand("work", "Process the objects that a queue announces, with any command");
  worker::add_arguments(*work, arguments.worker);
  work->callback([&] { arguments.command = [&] { return worker::run_with(arguments.worker); }; });
  cli::add_cluster_commands(app, arguments.options, arguments.command);
  cli::add_job_commands(app, arguments.options, arguments.command);
  cli::add_server_commands(app, arguments.options, arguments.command);
  cli::add_reference_commands(app, STOKER_VERSION, arguments.command);
  cli::add_examples(app);
  cli::simplify_value_names(app);
}

// A file or socket that is opened later must not get the number of a standard stream that the caller has closed (>&-).
void open_standard_descriptors() {
  for (int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);  // gets the lowest number, which is this
  }
}

}  // namespace

int main(int argc, char** argv) {
  open_standard_descriptors();
  // Started by the process driver beside each command, not by people.
  if (argc == 3 && std::strcmp(argv[1], "shim") == 0) return agent::drivers::run_shim(argv[2]);
  if (argc == 2 && std::strcmp(argv[1], "exec-shim") == 0) return agent::drivers::run_exec_shim();
  CLI::App app("Stoker keeps GPUs fed: a control plane for GPU work that speaks Amazon's protocols.", "stoker");
  app.set_version_flag("--version", std::string("stoker ") + STOKER_VERSION + " (" + kCommit + ")");
  app.require_subcommand(1);
  Arguments arguments;
  add_commands(app, arguments);
  app.footer(kExamples);  // subcommands made after this would begin with it
  if (const auto status = cli::parse_command_line(app, argc, argv, std::cout, std::cerr)) return *status;
  try {
    return arguments.command();
  } catch (const wire::ApiError& error) {
    print_error(error.code() + ": " + error.message());
  } catch (const cli::UsageError& error) {
    print_error(error.what());
    return cli::kUsageError;
  } catch (const std::exception& error) {
    print_error(error.what());
  }
  return 1;
}
