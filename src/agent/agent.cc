// SPDX-License-Identifier: Apache-2.0
#include "agent/agent.h"

#include <sys/resource.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <filesystem>
#include <future>
#include <random>

#include "agent/awslogs/log_shippers.h"
#include "agent/durable_file.h"
#include "agent/exec/exec_sessions.h"
#include "agent/machine_key.h"
#include "agent/metadata/endpoint.h"
#include "agent/metadata/record_metadata.h"
#include "agent/metrics/metrics_endpoint.h"
#include "agent/open_driver.h"
#include "agent/registration.h"
#include "agent/session/gpu_watch.h"
#include "agent/session/health_watch.h"
#include "agent/session/pull_watch.h"
#include "agent/session/telemetry.h"
#include "agent/tasks/environment_download.h"
#include "base/log.h"
#include "model/resources.h"
#include "wire/error.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr std::chrono::seconds kStopWithin{15};
// After the tasks of a machine that shuts down should have ended: for the driver, and for reports and logs.
constexpr base::Duration kDriverMargin = std::chrono::seconds(10), kReportWithin = std::chrono::seconds(10);
constexpr base::Duration kLongSession = std::chrono::seconds(30);
// After a long session the server restarted or wants the agent to connect elsewhere.
constexpr base::Duration kQuickRetry = std::chrono::milliseconds(200);
// After the server rejected the key as unknown: that rarely changes.
constexpr base::Duration kUnknownKeyRetry = std::chrono::minutes(1);

// Of the logs of stopped tasks, without an option.
constexpr std::int64_t kMostLogBytes = std::int64_t{10} << 30, kLogShare = 10;

// The usual soft limit of 1024 suffices for a few hundred containers only.
void allow_many_files() {
  rlimit limit;
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

Options with_defaults(Options options) {
  allow_many_files();
  if (options.data.empty()) throw std::runtime_error("the agent needs a data folder");
  if (options.name.empty()) options.name = host_name();
  if (options.availability_zone.empty()) options.availability_zone = options.region + "a";
  create_folder(options.data);
  return options;
}

client::Profile profile_of(const Options& options) {
  client::Profile profile;
  profile.endpoint = options.server;
  profile.credentials = options.credentials;
  profile.region = options.region;
  profile.ca_file = options.ca_file;
  return profile;
}

DiskRule disk_rule(const Options& options, const drivers::Driver& driver) {
  DiskRule rule{.folders = {options.data}, .min_free_mib = options.min_free_disk_mib};
  if (!driver.abilities().storage_folder.empty()) rule.folders.push_back(driver.abilities().storage_folder);
  return rule;
}

std::int64_t max_log_bytes(const Options& options) {
  if (options.max_logs_mib) return *options.max_logs_mib << 20;
  std::error_code failed;
  const std::filesystem::space_info disk = std::filesystem::space(options.data, failed);
  return failed ? kMostLogBytes : std::min<std::int64_t>(kMostLogBytes, disk.capacity / kLogShare);
}

MetadataSettings metadata_settings(const Options& options) {
  MetadataSettings settings;
  settings.server_url = options.server;
  settings.ca_file = options.ca_file;
  settings.region = options.region;
  settings.folder = options.data + "/metadata";
  create_folder(settings.folder);
  return settings;
}

double registered_cores(const Options& options) {
  if (!options.cpu_units) return static_cast<double>(host_size().cores);
  return static_cast<double>(*options.cpu_units) / static_cast<double>(model::kCpuUnitsPerCore);
}

MetricsSettings metrics_settings(const Options& options) {
  MetricsSettings settings;
  settings.address = options.metrics_address;
  settings.port = options.metrics_port;
  settings.host_name = options.name;
  settings.url_file = options.data + "/metrics_url";
  return settings;
}

}  // namespace

// Members are in dependency order, so that they are destroyed in the reverse order.
struct Agent::State {
  State(Options given, std::unique_ptr<drivers::Driver> with_driver, std::unique_ptr<gpu::GpuSource> with_gpus);
  ~State();

  asio::awaitable<void> run();
  asio::awaitable<void> connect_once();
  asio::awaitable<std::string> discover();
  asio::awaitable<void> register_anew(std::string reason);
  asio::awaitable<void> end_membership();
  asio::awaitable<void> submit(Report report);
  asio::awaitable<void> end();
  asio::awaitable<bool> end_tasks(base::Duration longest_stop);
  bool shut_down(base::Duration longest_stop);
  void stop();
  void connect_hooks();
  SessionSettings session_settings(const std::string& url) const;

  const Options options;
  FolderLock lock;
  base::SystemClock clock;
  http::IoThreads io{1};
  std::unique_ptr<gpu::GpuSource> gpus;
  std::unique_ptr<drivers::Driver> driver;
  TaskStore store;
  gpu::Mps mps;
  Machine machine;
  MetadataRegistry metadata;
  std::unique_ptr<MetadataEndpoint> endpoint;
  client::AsyncClient calls;
  Registration registration;
  TaskRegistry tasks;
  LogStreams logs;
  LogShippers shippers;
  ExecSessions commands;
  Session session;
  GpuWatch gpu_watch;
  HealthWatch health_watch;
  PullWatch pull_watch;
  Telemetry telemetry;
  MetricsEndpoint metrics;
  Coroutines coroutines;
  bool started = false, closing = false, stopped = false;
};

Agent::State::State(Options given, std::unique_ptr<drivers::Driver> with_driver,
                    std::unique_ptr<gpu::GpuSource> with_gpus)
    : options(with_defaults(std::move(given))),
      lock(options.data),
      gpus(with_gpus ? std::move(with_gpus) : open_gpus(options)),
      driver(with_driver ? std::move(with_driver) : open_driver(options, io, *gpus)),
      store(options.data),
      mps(gpu::mps_folder(options.data)),
      machine(io.at(0).get_executor(), *driver, store, clock, Timing()),
      calls(io, profile_of(options)),
      registration(options, calls),
      tasks(
          machine, [this](Report report) { return submit(std::move(report)); }, options.keep_stopped),
      logs(machine, tasks),
      shippers(io, machine, profile_of(options)),
      commands(machine, tasks),
      session(machine, tasks, logs, commands),
      gpu_watch(machine, *gpus, session),
      health_watch(machine, session, disk_rule(options, *driver)),
      pull_watch(machine, session),
      telemetry(machine, tasks, registered_cores(options),
                [this](const ContainerRecord& container, const drivers::Usage& usage) {
                  ContainerUsage measured;
                  measured.at = clock.now();
                  measured.cpu_percent = usage.cpu_percent;
                  measured.memory_bytes = usage.memory_bytes;
                  metadata.set_usage(container.endpointId, measured);
                }),
      metrics(machine, *gpus, metrics_settings(options)),
      coroutines(io.at(0).get_executor()) {
  machine.gpu_default_runtime = options.gpu_default_runtime;
  machine.stop_timeout = options.stop_timeout;
  machine.max_log_bytes = max_log_bytes(options);
  if (!gpus->simulated()) machine.mps = &mps;
  endpoint = std::make_unique<MetadataEndpoint>(io, metadata, metadata_settings(options));
  connect_hooks();
  metrics.listen(io);
}

Agent::State::~State() {
  stop();
  metrics.stop();
  endpoint.reset();  // both need the threads
  io.stop();
}

void Agent::State::connect_hooks() {
  const bool processes = driver->abilities().name == "process";
  machine.environment = [this, processes](const TaskRecord& record, const ContainerRecord& container) {
    const auto& role = record.task.roleCredentials;
    const std::string mode = network_mode_of(record, processes);
    auto variables = endpoint->environment_for(mode, container.endpointId, role ? role->credentialsId : "");
    if (record.task.stokerObjects && mode != "none") {
      variables["AWS_ENDPOINT_URL_S3"] = record.task.stokerObjects->endpoint;
    }
    return variables;
  };
  machine.read_object = [this](const TaskRecord& record, client::ObjectName name) {
    return read_environment_object(io, profile_of(options), record.task, std::move(name));
  };
  machine.open_log = [this](const TaskRecord& record, const ContainerRecord& container) {
    return shippers.open(record, container);
  };
  machine.flush_logs = [this](std::string arn) { return shippers.flush(std::move(arn)); };
  machine.has_unsent_logs = [this](const std::string& arn) { return shippers.has_unsent(arn); };
  machine.on_change = [this](const TaskRecord& record) {
    shippers.update(record);
    metadata.set_task(metadata_of(record, options.availability_zone));
    if (record.task.roleCredentials) metadata.set_credentials(*record.task.roleCredentials);
  };
  machine.on_remove = [this](const TaskRecord& record) {
    shippers.remove(record.task.arn);
    metadata.remove_task(record.task.arn);
    if (record.task.roleCredentials) metadata.remove_credentials(record.task.roleCredentials->credentialsId);
  };
}

asio::awaitable<void> Agent::State::submit(Report report) {
  using shapes::ecs::SubmitTaskStateChangeResponse;
  auto answer = co_await calls.call<SubmitTaskStateChangeResponse>(kEcs, "SubmitTaskStateChange", std::move(report));
}

SessionSettings Agent::State::session_settings(const std::string& url) const {
  SessionSettings settings;
  settings.profile = profile_of(options);
  settings.url = url;
  settings.cluster = options.cluster;
  settings.container_instance_arn = registration.arn();
  settings.machine_name = options.name;
  settings.agent_version = options.version;
  settings.docker_version = driver->abilities().version;
  return settings;
}

asio::awaitable<void> Agent::State::run() {
  base::log_info("agent started", {{"machine", options.name}, {"driver", driver->abilities().name}});
  gpu_watch.probe();
  co_await tasks.adopt();
  if (registration.moved()) {
    co_await tasks.stop_all("The machine of this task joined again, with another key or in another cluster.");
  }
  coroutines.spawn("sweep", tasks.sweep());
  coroutines.spawn("gpus", gpu_watch.run());
  coroutines.spawn("engine", health_watch.watch_engine());
  coroutines.spawn("disks", health_watch.watch_disks());
  coroutines.spawn("health", health_watch.report());
  coroutines.spawn("pulls", pull_watch.run());
  coroutines.spawn("telemetry", telemetry.run());
  std::minstd_rand random(std::random_device{}());
  base::Duration pause = machine.timing.retry;
  for (;;) {
    const base::Time began = clock.now();
    std::string failure, gone, code;
    try {
      co_await connect_once();
    } catch (const wire::ApiError& error) {
      code = error.code();
      failure = code + ": " + error.message();
      if (is_instance_gone(code, error.message())) gone = failure;
    } catch (const std::exception& error) {
      failure = error.what();
    }
    if (machine.stopping || closing) co_return;
    if (is_key_retired(code)) {
      co_await end_membership();
      co_return;
    }
    base::log_warn("connection to the server failed", {{"server", options.server}, {"error", failure}});
    if (!gone.empty()) {
      co_await register_anew(gone);
    }
    if (is_key_unknown(code)) {
      base::log_error("the server rejects this machine's key: to join again, remove the file and start the agent "
                      "with a new join token",
                      {{"server", options.server}, {"file", machine_key_path(options.data)}});
      pause = kUnknownKeyRetry;
    }
    if (clock.now() - began >= kLongSession) pause = kQuickRetry;
    co_await sleep_for(pause / 2 + base::Duration(random() % (pause.count() / 2 + 1)));
    pause = std::min(pause * 2, machine.timing.retry_longest);
  }
}

// Registers, opens a session and returns when it ends.
asio::awaitable<void> Agent::State::connect_once() {
  auto described = describe_machine(options, host_size(), driver->abilities(), machine.ledger.gpus());
  co_await registration.register_as(std::move(described));
  const std::string url = co_await discover();
  shippers.retry_now();
  SessionSettings settings = session_settings(url);
  co_await session.run(std::move(settings));
}

// Returns the URL of the work session, and passes telemetry its own.
asio::awaitable<std::string> Agent::State::discover() {
  shapes::ecs::DiscoverPollEndpointRequest request;
  request.cluster = options.cluster;
  request.containerInstance = registration.arn();
  auto found =
      co_await calls.call<shapes::ecs::DiscoverPollEndpointResponse>(kEcs, "DiscoverPollEndpoint", std::move(request));
  telemetry.set_server(session_settings(found.telemetryEndpoint.value_or("")));
  co_return found.endpoint.value_or(options.server);
}

// The tasks that run here belong to an instance that no longer exists.
asio::awaitable<void> Agent::State::register_anew(std::string reason) {
  base::log_warn("container instance is no longer registered", {{"instance", registration.arn()}, {"reason", reason}});
  co_await tasks.stop_all("The container instance of this task was deregistered.");
  registration.forget();
}

// Its key has ended with its container instance: only a new join token brings the machine back.
asio::awaitable<void> Agent::State::end_membership() {
  base::log_error("this machine was removed from its cluster: its tasks are stopped; to join again, create a token with "
                  "`stoker token` on the server's machine and start the agent with it",
                  {{"machine", options.name}, {"server", options.server}});
  co_await tasks.stop_all("The machine of this task was removed from its cluster.");
  registration.forget();
  forget_machine_key(options.data);
  if (options.on_removed) options.on_removed();
}

asio::awaitable<void> Agent::State::end() {
  machine.stopping = true;
  coroutines.cancel();
  session.coroutines().cancel();
  telemetry.coroutines().cancel();
  logs.coroutines().cancel();
  commands.coroutines().cancel();
  co_await tasks.detach();
  co_await shippers.end();
  co_await coroutines.ended();
  co_await session.coroutines().ended();
  co_await telemetry.coroutines().ended();
  co_await logs.coroutines().ended();
  co_await commands.coroutines().ended();
}

asio::awaitable<bool> Agent::State::end_tasks(base::Duration longest_stop) {
  closing = true;
  machine.longest_stop = longest_stop;
  if (!started) {
    gpu_watch.probe();
    co_await tasks.adopt();
  }
  tasks.close("The machine of this task shuts down.");
  const bool ended = co_await tasks.all_ended(longest_stop + kDriverMargin);
  if (!ended) {
    base::log_error("tasks did not stop in time");
    co_return false;
  }
  const bool reported = co_await tasks.all_reported(kReportWithin);
  if (!reported) base::log_warn("ends of tasks not reported in time");
  const bool removed = co_await tasks.remove_containers();
  co_return removed;
}

bool Agent::State::shut_down(base::Duration longest_stop) {
  std::future<bool> ended = asio::co_spawn(io.at(0), end_tasks(longest_stop), asio::use_future);
  const bool removed = ended.get();
  stop();
  return removed;
}

void Agent::State::stop() {
  if (stopped) return;
  stopped = true;
  std::future<void> ended = asio::co_spawn(io.at(0), end(), asio::use_future);
  if (ended.wait_for(kStopWithin) != std::future_status::ready) base::log_error("agent did not stop in time");
}

Agent::Agent(Options options) : Agent(std::move(options), nullptr, nullptr) {}

Agent::Agent(Options options, std::unique_ptr<drivers::Driver> driver, std::unique_ptr<gpu::GpuSource> gpus)
    : state_(std::make_unique<State>(std::move(options), std::move(driver), std::move(gpus))) {}

Agent::~Agent() = default;

void Agent::start() {
  State* state = state_.get();
  asio::post(state->io.at(0), [state] {
    state->started = true;
    state->coroutines.spawn("agent", state->run());
  });
}

void Agent::stop() { state_->stop(); }

bool Agent::shut_down(base::Duration longest_stop) {
  const bool removed = state_->shut_down(longest_stop);
  const std::string data = state_->options.data;
  state_.reset();
  if (!removed) return false;
  std::error_code failed;
  std::filesystem::remove_all(data, failed);
  if (failed) base::log_error("data folder not deleted", {{"folder", data}, {"error", failed.message()}});
  return !failed;
}

}  // namespace agent
