// SPDX-License-Identifier: Apache-2.0
#include "control/start.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "api/dispatch.h"
#include "base/log.h"
#include "base/stop_signals.h"
#include "doors/agents/agent_sessions.h"
#include "control/blob_sweep.h"
#include "control/data_folder.h"
#include "control/loops.h"
#include "control/scrub.h"
#include "doors/agents/task_logs.h"
#include "http/server.h"
#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/machines/live_gpus.h"
#include "services/ecs/schema.h"
#include "services/ecs/service.h"
#include "services/s3/schema.h"
#include "services/s3/service.h"
#include "services/s3/settings.h"
#include "services/sqs/door.h"
#include "services/sqs/schema.h"
#include "services/sqs/service.h"
#include "services/stoker/service.h"
#include "services/sts/service.h"

namespace control {
namespace asio = boost::asio;
namespace {

std::vector<store::Migrations> all_migrations() {
  return {state::key_migrations(), services::sqs::migrations(), services::ecs::migrations(),
          services::s3::migrations()};
}

std::vector<services::Service> all_services() {
  return {services::sqs::service(), services::ecs::service(), services::s3::service(), services::sts::service(),
          services::stoker::service()};
}

// What was being written when the last run ended belongs to a row, or to nobody.
void recover_files(store::Store& store, const objects::Files& files) {
  objects::Files::Recovered recovered;
  store.read_now([&](store::Tx& tx) {
    recovered = files.recover([&](const std::string& name) {
      return tx.query("SELECT 1 FROM s3_blobs WHERE file = $1", name).integer() == 1;
    });
  });
  if (recovered.kept + recovered.dropped == 0) return;
  base::log_info("recovered files", {{"kept", recovered.kept}, {"dropped", recovered.dropped}});
}

// The usual soft limit of 1024 is less than the connections that we allow.
void allow_many_files() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// An address that clients on this machine can use.
std::string local_url(const Config& config, unsigned short port) {
  std::string host = config.address;
  if (host == "0.0.0.0" || host == "::") host = "127.0.0.1";
  if (host.find(':') != host.npos) host = "[" + host + "]";
  return (config.tls_certificate.empty() ? "http://" : "https://") + host + ":" + std::to_string(port);
}

asio::awaitable<http::Response> handle(api::Dispatcher* dispatcher, http::Exchange& exchange) {
  return dispatcher->handle(exchange);
}

// Our own command line comes in here: it needs no certificate, and no address.
constexpr std::size_t kMaxSocketPath = 107;  // sun_path's

void listen(http::Server& server, const Config& config) {
  const std::string socket = config.data + "/socket";
  if (socket.size() <= kMaxSocketPath) server.listen_unix(socket);
  if (config.tls_certificate.empty()) {
    server.listen_tcp(config.address, config.port);
  } else {
    server.listen_tls(config.address, config.port, config.tls_certificate, config.tls_key);
  }
}

}  // namespace

int up(const Config& config, const std::string& version, const Companion& companion) {
  const auto began = std::chrono::steady_clock::now();
  base::StopSignals stop;
  allow_many_files();
  base::set_log_level(config.log_level);
  base::SystemClock clock;

  // In the order in which they use each other; they end in the reverse of it.
  const int threads = config.threads > 0 ? config.threads : static_cast<int>(std::thread::hardware_concurrency());
  http::IoThreads io(std::max(threads, 1));
  auto store = store::open_sqlite(config.data, all_migrations());
  state::Key root;
  store->write_now([&](store::Tx& tx) { root = state::ensure_root_key(tx, config.account, clock.now()); });
  write_credentials(config.data, root);

  objects::Files files(config.data + "/objects");
  objects::DiskThreads disk;
  recover_files(*store, files);

  services::Locals locals;
  services::s3::add_locals(locals, {.test_events = config.test_events});
  locals.add<services::QueueDoor>(services::sqs::queue_door());
  locals.add<services::ecs::LiveGpus>();
  auto& fleets = locals.add<services::ecs::Fleets>();
  store->write_now([&](store::Tx& tx) { services::ecs::disconnect_all(tx, clock.now()); });
  store->read_now([&](store::Tx& tx) { fleets.load(tx); });

  api::Topics topics;
  api::Engine engine(*store, locals, topics, clock);
  doors::agents::LogStreams log_streams(topics);
  doors::agents::AgentSessions agents(engine, log_streams, config.objects);
  doors::agents::TaskLogs logs(engine, agents, log_streams);
  Scrub scrub(engine, files, disk);
  std::vector<api::Route> routes{{"/ws", "ecs", std::bind_front(&doors::agents::AgentSessions::serve, &agents)},
                                 {"/stoker/logs", "ecs", std::bind_front(&doors::agents::TaskLogs::serve, &logs)},
                                 {"/stoker/scrub", "stoker", std::bind_front(&Scrub::serve, &scrub)}};
  api::Dispatcher dispatcher(engine, all_services(), {std::move(routes), version, config.domains, {&files, &disk}});
  http::Server server(io, std::bind_front(&handle, &dispatcher));
  listen(server, config);
  std::vector<Loop> all = all_loops(config.lost_after);
  all.push_back(sweep_blobs(engine, files, disk));
  Loops loops(io, engine, std::move(all));

  const std::string url = local_url(config, server.port());
  write_endpoint(config.data, url);
  if (companion.start) companion.start(url, root);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  std::printf("stoker %s is ready at %s, its data in %s (%lld ms)\n", version.c_str(), url.c_str(),
              std::filesystem::absolute(config.data).c_str(), static_cast<long long>(took.count()));
  std::fflush(stdout);

  stop.wait();
  base::log_info("stopping");
  stop.let_through();
  if (companion.stop) companion.stop();
  dispatcher.drain();
  server.drain();
  return 0;
}

}  // namespace control
