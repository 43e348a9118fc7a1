// SPDX-License-Identifier: Apache-2.0
// The command line: subcommand -> control, agent, worker, cli.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>

#include "agent/agent.h"
#include "agent/drivers/shim.h"
#include "agent/gpu/gpu.h"
#include "agent/registration.h"
#include "base/stop_signals.h"
#include "cli/arguments.h"
#include "cli/token.h"
#include "control/start.h"
#include "wire/error.h"
#include "worker/arguments.h"
#include "worker/run.h"

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
  options.instance_type = given.instance_type;
  options.availability_zone = given.availability_zone;
  options.attributes = given.attributes;
  options.cpu_units = given.cpu_units;
  options.memory_mib = given.memory_mib;
  options.reserved_memory_mib = given.reserved_memory_mib;
  options.min_free_disk_mib = given.min_free_disk_mib;
  options.gpu_default_runtime = given.gpu_default_runtime;
  options.keep_stopped = given.keep_stopped;
  options.stop_timeout = given.stop_timeout;
  options.tags = given.tags;
  if (given.metrics_listen != "none") {
    auto listen = control::parse_listen(given.metrics_listen);
    if (!listen) throw std::runtime_error("--metrics-listen: " + listen.error());
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
  if (!listen) throw std::runtime_error(listen.error());
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
  config.services.tracking_period = given.tracking_period;
  config.domains = given.domains;
  config.services.test_events = !given.no_test_events;
  config.webhook_private_networks = given.webhook_private_networks;
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

// A server, with this machine as its first agent.
int run_up(const Arguments& arguments) {
  if (arguments.server.no_agent) return run_server(arguments);
  const control::Config config = server_config(arguments.server, true);
  std::unique_ptr<agent::Agent> inside;
  control::Companion companion;
  companion.start = [&](const std::string& url, const state::Key& root) {
    agent::Options options = agent_options(arguments.agent);
    options.server = url;
    options.credentials = {root.id, root.secret};
    options.ca_file = arguments.server.tls_certificate;
    options.data = arguments.server.data + "/agent";
    options.gpus = gpus_beside(config.provider, options.gpus);
    inside = std::make_unique<agent::Agent>(std::move(options));
    inside->start();
  };
  companion.stop = [&] { inside.reset(); };
  return control::up(config, STOKER_VERSION, companion);
}

std::string token_of(const cli::AgentArguments& agent) {
  if (agent.token_file.empty()) return agent.token;
  std::ifstream file(agent.token_file);
  std::string token;
  file >> token;
  return token;
}

int run_agent(const Arguments& arguments) {
  auto credentials = cli::decode_token(token_of(arguments.agent));
  if (!credentials) throw std::runtime_error(credentials.error());
  base::StopSignals stop;  // before the agent's threads
  base::set_log_level(arguments.agent.log_level);
  agent::Options options = agent_options(arguments.agent);
  options.credentials = std::move(*credentials);
  agent::Agent agent(std::move(options));
  if (arguments.agent.clean_up) return agent.shut_down(arguments.agent.shutdown_timeout) ? 0 : 1;
  agent.start();
  std::printf("stoker agent %s joins cluster %s at %s, its data in %s\n", STOKER_VERSION,
              arguments.agent.cluster.c_str(), arguments.agent.join.c_str(), arguments.agent.data.c_str());
  std::fflush(stdout);
  stop.wait();
  stop.let_through();
  if (arguments.agent.ephemeral) return agent.shut_down(arguments.agent.shutdown_timeout) ? 0 : 1;
  agent.stop();
  return 0;
}

void add_commands(CLI::App& app, Arguments& arguments) {
  arguments.options.data = arguments.server.data = cli::default_data();
  arguments.agent.data = cli::default_data() + "/agent";
  cli::add_up(app, arguments.server, arguments.agent)->callback([&] {
    arguments.command = [&] { return run_up(arguments); };
  });
  cli::add_server(app, arguments.server)->callback([&] { arguments.command = [&] { return run_server(arguments); }; });
  cli::add_agent(app, arguments.agent)->callback([&] { arguments.command = [&] { return run_agent(arguments); }; });
  CLI::App* work = app.add_subcommand("work", "Process the objects that a queue announces, with any command");
  worker::add_arguments(*work, arguments.worker);
  work->callback([&] { arguments.command = [&] { return worker::run_with(arguments.worker); }; });
  cli::add_cluster_commands(app, arguments.options, arguments.command);
  cli::add_job_commands(app, arguments.options, arguments.command);
  cli::add_server_commands(app, arguments.options, arguments.command);
}

}  // namespace

int main(int argc, char** argv) {
  // Started by the process driver beside each command, not by people.
  if (argc == 3 && std::strcmp(argv[1], "shim") == 0) return agent::drivers::run_shim(argv[2]);
  CLI::App app("Stoker keeps GPUs fed: a control plane for GPU work that speaks Amazon's protocols.", "stoker");
  app.set_version_flag("--version", std::string("stoker ") + STOKER_VERSION);
  app.require_subcommand(1);
  app.footer(kExamples);
  Arguments arguments;
  add_commands(app, arguments);
  CLI11_PARSE(app, argc, argv);
  try {
    return arguments.command();
  } catch (const wire::ApiError& error) {
    std::fprintf(stderr, "stoker: %s: %s\n", error.code().c_str(), error.message().c_str());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "stoker: %s\n", error.what());
  }
  return 1;
}
