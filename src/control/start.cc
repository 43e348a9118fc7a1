// SPDX-License-Identifier: Apache-2.0
#include "control/start.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "base/log.h"
#include "base/stop_signals.h"
#include "base/systemd.h"

namespace control {
namespace {

// The usual soft limit of 1024 is less than the connections that we allow. Returns how many it allows.
std::size_t allow_many_files(std::size_t connections, int threads) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return connections;
  const rlim_t before = std::exchange(limit.rlim_cur, limit.rlim_max);
  const bool raised = setrlimit(RLIMIT_NOFILE, &limit) == 0;
  const auto allowed = allowed_connections(raised ? limit.rlim_max : before, connections, threads);
  if (!allowed) throw std::runtime_error(allowed.error());
  return *allowed;
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

}  // namespace

int up(Config config, const std::string& version, const Companion& companion) {
  const auto began = std::chrono::steady_clock::now();
  base::StopSignals stop;
  base::set_log_level(config.log_level);
  const std::size_t wanted = config.connections.all;
  config.connections.all = allow_many_files(wanted, thread_count(config));
  Server server(config, version);
  if (companion.start) companion.start(server);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  std::printf("stoker %s is ready at %s, its data in %s (%lld ms)\n", version.c_str(), server.url().c_str(),
              std::filesystem::absolute(config.data).c_str(), static_cast<long long>(took.count()));
  std::fflush(stdout);
  base::notify_systemd("READY=1");
  if (config.connections.all < wanted) {
    base::log_warn("the limit of open files (ulimit -Hn) allows fewer connections",
                   {{"connections", config.connections.all}, {"wanted", wanted}});
  }
  if (config.tls_certificate.empty() && !is_loopback(config.address)) {
    base::log_warn("requests and answers are not encrypted on the network: use --tls-cert and --tls-key",
                   {{"address", config.address}});
  }

  stop.wait();
  base::log_info("stopping");
  base::notify_systemd("STOPPING=1");
  stop.let_through();
  if (companion.stop) companion.stop();
  server.drain();
  return 0;
}

}  // namespace control
