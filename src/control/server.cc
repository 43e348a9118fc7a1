// SPDX-License-Identifier: Apache-2.0
#include "control/server.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <thread>

#include "api/dispatch.h"
#include "api/engine.h"
#include "api/loops.h"
#include "api/path_door.h"
#include "api/rpc_door.h"
#include "control/data_folder.h"
#include "control/metric_publisher.h"
#include "control/modules.h"
#include "control/providers/machine_loop.h"
#include "doors/agents/agent_sessions.h"
#include "doors/agents/log_streams.h"
#include "doors/agents/task_logs.h"
#include "doors/jobs/jobs_door.h"
#include "doors/live_tail/live_tail_door.h"
#include "doors/objects/blob_sweep.h"
#include "doors/objects/objects_door.h"
#include "doors/objects/recovery.h"
#include "doors/objects/scrub.h"
#include "doors/pages/pages.h"
#include "http/server.h"
#include "objects/disk_threads.h"
#include "objects/files.h"
#include "services/ec2/instance_type_file.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "webhooks/sender/webhook_sender.h"

namespace control {
namespace asio = boost::asio;
namespace {

int thread_count(const Config& config) {
  const int threads = config.threads > 0 ? config.threads : static_cast<int>(std::thread::hardware_concurrency());
  return std::max(threads, 1);
}

services::Options options_of(const Config& config) {
  services::Options options = config.services;
  options.data = config.data;
  return options;
}

std::vector<store::Migrations> migrations_of(const std::vector<services::Module>& modules) {
  std::vector<store::Migrations> all{state::cluster_migrations(), state::ec2_instance_migrations()};
  for (const services::Module& module : modules) {
    if (!module.migrations.steps.empty()) all.push_back(module.migrations);
  }
  return all;
}

std::vector<services::Service> services_of(const std::vector<services::Module>& modules) {
  std::vector<services::Service> all;
  for (const services::Module& module : modules) all.push_back(module.service);
  return all;
}

services::Directory directory_of(const std::vector<services::Module>& modules) {
  services::Directory directory;
  for (const services::Module& module : modules) {
    directory.add(module.service.wire.name, module.service.operations);
    directory.add(module.service.wire.name, module.internal_operations);
  }
  return directory;
}

services::Locals memory_of(const std::vector<services::Module>& modules) {
  services::Locals locals;
  for (const services::Module& module : modules) {
    if (module.add_memory) module.add_memory(locals);
  }
  return locals;
}

std::string local_url(const Config& config, unsigned short port) {
  std::string host = config.address;
  if (host == "0.0.0.0" || host == "::") host = "127.0.0.1";
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return (config.tls_certificate.empty() ? "http://" : "https://") + host + ":" + std::to_string(port);
}

providers::MachineLoopSettings machine_settings(const Config& config) {
  model::InstanceTypes types = services::ec2::read_instance_types(config.services.instance_types_file);
  return {std::filesystem::absolute(config.data).string() + "/instances", std::move(types)};
}

asio::awaitable<http::Response> handle(api::Dispatcher* dispatcher, http::Exchange& exchange) {
  return dispatcher->handle(exchange);
}

bool is_embedded(const Config& config) { return config.store.empty(); }

const Config& checked(const Config& config) {
  check_data_folder(config.data, is_embedded(config));
  return config;
}

constexpr std::size_t kMaxSocketPath = 107;  // sun_path's

void listen(http::Server& server, const Config& config) {
  // Our own command line comes in here: it needs no certificate and no address.
  const std::string socket = config.data + "/socket";
  if (socket.size() <= kMaxSocketPath) server.listen_unix(socket);
  if (config.tls_certificate.empty()) {
    server.listen_tcp(config.address, config.port);
  } else {
    server.listen_tls(config.address, config.port, config.tls_certificate, config.tls_key);
  }
}

}  // namespace

// In the order in which they use each other; they end in the reverse of it.
struct Server::State {
  State(const Config& config, const std::string& version)
      : io(thread_count(config)),
        modules(all_modules(options_of(config))),
        store(store::open(config.data, config.store, migrations_of(modules))),
        files(config.data + "/objects"),
        locals(memory_of(modules)),
        directory(directory_of(modules)),
        engine(*store, locals, directory, topics, clock),
        registry(services_of(modules)),
        metrics(registry.services()),
        log(metrics),
        authenticator(engine),
        agents(engine, authenticator, log_streams, config.objects),
        logs(engine, agents, log_streams),
        scrub(engine, files, disk),
        objects({engine, authenticator, *registry.find_signed("s3"), log, metrics,
                 {&files, &disk}, config.domains}),
        jobs({engine, authenticator, log, {&files, &disk}, config.webhook_private_networks}),
        pages(engine, metrics, modules, version),
        agents_door({authenticator, registry, log}, "/ws", "ecs",
                    std::bind_front(&doors::agents::AgentSessions::serve, &agents)),
        logs_door({authenticator, registry, log}, "/stoker/logs", "ecs",
                  std::bind_front(&doors::agents::TaskLogs::serve, &logs)),
        scrub_door({authenticator, registry, log}, "/stoker/scrub", "stoker",
                   std::bind_front(&doors::objects::Scrub::serve, &scrub)),
        live_tail(engine, authenticator, registry, log),
        rpc(engine, authenticator, registry, log),
        webhook_sender(io, engine, config.webhook_private_networks),
        dispatcher({&live_tail, &objects, &jobs, &pages, &agents_door, &logs_door, &scrub_door, &rpc}) {}

  // In one transaction: what a service repairs another may look at.
  void recover() {
    services::Caller nobody;
    store->write_now([&](store::Tx& tx) {
      services::Call call = engine.call(tx, nobody, clock.now(), clock.now());
      for (const services::Module& module : modules) {
        if (module.recover) module.recover(call);
      }
    });
    doors::objects::recover_files(*store, files);
  }

  std::vector<api::Loop> all_loops() {
    std::vector<api::Loop> all{doors::objects::sweep_blobs(engine, files, disk), webhook_sender.loop(), machines->loop()};
    for (const services::Module& module : modules) {
      for (const services::Loop& loop : module.loops) all.push_back(api::make_loop(engine, loop));
    }
    all.push_back(api::make_loop(engine, publisher_loop(modules)));
    return all;
  }

  // The database is closed after this.
  ~State() {
    if (!marked_folder.empty()) unmark_running(marked_folder);
  }

  std::string marked_folder = {};
  base::SystemClock clock;
  http::IoThreads io;
  std::vector<services::Module> modules;
  std::unique_ptr<store::Store> store;
  state::Key root;
  ::objects::Files files;
  ::objects::DiskThreads disk;
  services::Locals locals;
  services::Directory directory;
  api::Topics topics;
  api::Engine engine;
  api::Registry registry;
  api::Metrics metrics;
  api::RequestLog log;
  api::Authenticator authenticator;
  doors::agents::LogStreams log_streams{topics};
  doors::agents::AgentSessions agents;
  doors::agents::TaskLogs logs;
  doors::objects::Scrub scrub;
  doors::objects::ObjectsDoor objects;
  doors::jobs::JobsDoor jobs;
  doors::pages::PagesDoor pages;
  api::PathDoor agents_door, logs_door, scrub_door;
  doors::live_tail::LiveTailDoor live_tail;
  api::RpcDoor rpc;
  webhooks::WebhookSender webhook_sender;
  api::Dispatcher dispatcher;
  std::unique_ptr<http::Server> server;
  std::unique_ptr<providers::MachineLoop> machines;
  std::unique_ptr<api::Loops> loops;
  std::string url;
};

Server::Server(const Config& config, const std::string& version)
    : state_(std::make_unique<State>(checked(config), version)) {
  State& state = *state_;
  state.store->write_now(
      [&](store::Tx& tx) { state.root = state::ensure_root_key(tx, config.account, state.clock.now()); });
  if (is_embedded(config)) {
    mark_running(config.data);  // its log exists now
    state.marked_folder = config.data;
  }
  write_credentials(config.data, state.root);
  state.recover();
  state.server = std::make_unique<http::Server>(state.io, std::bind_front(&handle, &state.dispatcher));
  listen(*state.server, config);
  state.url = local_url(config, state.server->port());
  state.machines = std::make_unique<providers::MachineLoop>(
      state.io, state.engine, providers::open_provider(config.provider, state.url), machine_settings(config));
  state.loops = std::make_unique<api::Loops>(state.io, state.engine, state.all_loops());
  write_endpoint(config.data, state.url);
}

Server::~Server() = default;

std::string Server::url() const { return state_->url; }

const state::Key& Server::root_key() const { return state_->root; }

void Server::drain() {
  state_->engine.drain();
  state_->server->drain();
}

}  // namespace control
