// SPDX-License-Identifier: Apache-2.0
#include "control/server.h"

#include <chrono>
#include <filesystem>

#include "api/dispatch.h"
#include "api/engine.h"
#include "api/loops.h"
#include "api/path_door.h"
#include "api/rpc_door.h"
#include "base/disk_space.h"
#include "base/server_clock.h"
#include "control/data_folder.h"
#include "control/metric_publisher.h"
#include "control/modules.h"
#include "control/providers/machine_loop.h"
#include "control/server_samples.h"
#include "doors/agents/agent_sessions.h"
#include "doors/agents/join_door.h"
#include "doors/agents/log_streams.h"
#include "doors/agents/task_logs.h"
#include "doors/exec/exec_sessions.h"
#include "doors/jobs/jobs_door.h"
#include "doors/live_tail/live_tail_door.h"
#include "doors/objects/backup_hold.h"
#include "doors/objects/blob_sweep.h"
#include "doors/objects/objects_door.h"
#include "doors/objects/recovery.h"
#include "doors/objects/scrub.h"
#include "doors/pages/pages.h"
#include "http/server.h"
#include "objects/disk_threads.h"
#include "objects/files.h"
#include "services/ec2/instance_type_file.h"
#include "state/clock_row.h"
#include "state/cluster.h"
#include "state/ec2_instance.h"
#include "store/open.h"
#include "telemetry/logs/chunk_files.h"
#include "webhooks/sender/webhook_sender.h"

namespace control {
namespace asio = boost::asio;
namespace {

services::Options options_of(const Config& config) {
  services::Options options = config.services;
  options.data = config.data;
  options.webhook_private_networks = config.webhook_private_networks;
  return options;
}

std::vector<store::Migrations> migrations_of(const std::vector<services::Module>& modules) {
  std::vector<store::Migrations> all{state::clock_migrations(), state::cluster_migrations(), state::ec2_instance_migrations(),
                                       services::usage_migrations()};
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

doors::exec::RelayTimes exec_times(const Config& config) {
  doors::exec::RelayTimes times;
  times.idle = config.services.exec_idle;
  times.longest = config.services.exec_longest;
  return times;
}

providers::MachineLoopSettings machine_settings(const Config& config) {
  model::InstanceTypes types = services::ec2::read_instance_types(config.services.instance_types_file);
  return {std::filesystem::absolute(config.data).string() + "/instances", std::move(types)};
}

asio::awaitable<http::Response> handle(api::Dispatcher* dispatcher, http::Exchange& exchange) {
  return dispatcher->handle(exchange);
}

http::Limits limits_of(const Config& config) {
  http::Limits limits;
  limits.connections = admission_limits(config.connections);
  limits.bodies = body_limits(config.unverified_body_bytes);
  limits.account_bodies = account_body_limits(config.account_body_bytes);
  return limits;
}

bool is_embedded(const Config& config) { return config.store.empty(); }

const Config& checked(const Config& config) {
  check_data_folder(config.data, is_embedded(config));
  return config;
}

// A database that was in use has a root key.
void check_store(store::Store& store, const Config& config) {
  if (is_embedded(config)) return;
  bool is_new = false;
  store.read_now([&](store::Tx& tx) { is_new = state::list_keys(tx).empty(); });
  if (is_new) check_new_database(config.data);
}

// Metrics of services wait in memory while the disk is full: no client requested these writes.
services::Loop unless_full(api::Engine& engine, services::Loop loop) {
  loop.look = [&engine, look = loop.look](services::Call& call) {
    services::Decision decision = look(call);
    if (engine.is_full()) decision.apply = {};
    return decision;
  };
  return loop;
}

constexpr base::Duration kRecordTimeEvery = std::chrono::minutes(1);

services::Decision record_time(services::Call& call) {
  services::Decision decision;
  decision.apply = [](services::Call& write) { state::record_time(write.tx, write.now); };
  decision.next = call.now + kRecordTimeEvery;
  return decision;
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
      : space(config.data, config.reserve),
        io(thread_count(config)),
        modules(all_modules(options_of(config))),
        store(store::open(config.data, config.store, migrations_of(modules), {&space, config.drop_damaged_log})),
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
        exec(io, engine, authenticator, std::bind_front(&doors::agents::AgentSessions::send, &agents), {&files, &disk},
             exec_times(config)),
        exec_door(exec),
        scrub(engine, files, disk, is_embedded(config) ? config.data + "/stoker.db" : ""),
        backup(engine, {&files, &locals.get<telemetry::ChunkFiles>().files}),
        objects({engine, authenticator, *registry.find_signed("s3"), log, metrics,
                 {&files, &disk}, config.domains}),
        jobs({engine, authenticator, log, {&files, &disk}, config.webhook_private_networks}),
        pages(engine, metrics, modules, version),
        agents_door({authenticator, registry, log}, "/ws", "ecs",
                    std::bind_front(&doors::agents::AgentSessions::serve, &agents),
                    api::PathDoor::For::AccountsAndMachines),
        logs_door({authenticator, registry, log}, "/stoker/logs", "ecs",
                  std::bind_front(&doors::agents::TaskLogs::serve, &logs)),
        exec_agents_door({authenticator, registry, log}, "/stoker/exec", "ecs",
                         std::bind_front(&doors::exec::ExecSessions::serve_agent, &exec),
                         api::PathDoor::For::AccountsAndMachines),
        scrub_door({authenticator, registry, log}, "/stoker/scrub", "stoker",
                   std::bind_front(&doors::objects::Scrub::serve, &scrub)),
        backup_door({authenticator, registry, log}, "/stoker/backup", "stoker",
                    std::bind_front(&doors::objects::BackupHold::serve, &backup)),
        join(engine, registry, log),
        live_tail(engine, authenticator, registry, log),
        rpc(engine, authenticator, registry, log),
        webhook_sender(io, engine, config.webhook_private_networks),
        dispatcher({&live_tail, &exec_door, &objects, &jobs, &pages, &agents_door, &logs_door, &exec_agents_door,
                    &scrub_door, &backup_door, &join, &rpc}) {
    agents.when_left(std::bind_front(&doors::exec::ExecSessions::agent_left, &exec));
    engine.set_wall_clock(machine_clock);
    // PostgreSQL has its own disk.
    if (is_embedded(config)) engine.set_space(space);
    files.set_space(space);
    locals.get<telemetry::ChunkFiles>().files.set_space(space);
    space.measure();
  }

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
    std::vector<api::Loop> all{doors::objects::sweep_blobs(engine, files, disk), webhook_sender.loop(), machines->loop(), exec.loop()};
    for (const services::Module& module : modules) {
      for (const services::Loop& loop : module.loops) all.push_back(api::make_loop(engine, loop));
    }
    all.push_back(api::make_loop(engine, unless_full(engine, publisher_loop(modules))));
    all.push_back(api::make_loop(engine, {"clock", "stoker/clock", &record_time}));
    return all;
  }

  // The database is closed after this.
  ~State() {
    if (!marked_folder.empty()) unmark_running(marked_folder);
  }

  std::string marked_folder = {};
  base::SystemClock machine_clock;
  base::ServerClock clock{machine_clock};
  base::DiskSpace space;
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
  doors::exec::ExecSessions exec;
  doors::exec::ExecDoor exec_door;
  doors::objects::Scrub scrub;
  doors::objects::BackupHold backup;
  doors::objects::ObjectsDoor objects;
  doors::jobs::JobsDoor jobs;
  doors::pages::PagesDoor pages;
  api::PathDoor agents_door, logs_door, exec_agents_door, scrub_door, backup_door;
  doors::agents::JoinDoor join;
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
  check_store(*state.store, config);
  state.store->read_now([&](store::Tx& tx) {
    if (const auto last = state::recorded_time(tx)) state.clock.continue_from(*last);
  });
  state.store->write_now(
      [&](store::Tx& tx) { state.root = state::ensure_root_key(tx, config.account, state.clock.now()); });
  if (is_embedded(config)) {
    // So its log is not empty, even if nothing else is ever written.
    state.store->write_now([&](store::Tx& tx) { state::record_time(tx, state.clock.now()); });
    mark_running(config.data);
    state.marked_folder = config.data;
  }
  write_credentials(config.data, state.root);
  state.recover();
  state.server = std::make_unique<http::Server>(state.io, std::bind_front(&handle, &state.dispatcher), limits_of(config));
  state.pages.set_token(config.metrics_token);
  state.pages.set_source([&server = *state.server, &space = state.space, data = config.data] {
    return server_samples(server, data, space);
  });
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

bool Server::has_machine_key(const std::string& id) const {
  std::optional<state::Key> key;
  state_->store->read_now([&](store::Tx& tx) { key = state::find_key(tx, id); });
  return key && key->scope == state::KeyScope::Machine && !key->expires_at;
}

void Server::add_machine_key(const std::string& id, const std::string& secret) {
  state::Key key{.id = id, .secret = secret, .account = state_->root.account, .created_at = state_->clock.now()};
  key.scope = state::KeyScope::Machine;
  state_->store->write_now([&](store::Tx& tx) { state::insert_key(tx, key); });
}

void Server::drain() {
  state_->exec.shut_down();
  state_->engine.drain();
  state_->server->drain();
}

}  // namespace control
