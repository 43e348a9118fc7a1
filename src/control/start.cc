// SPDX-License-Identifier: Apache-2.0
#include "control/start.h"

#include <sys/resource.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/log.h"
#include "base/stop_signals.h"
#include "control/server.h"

namespace control {
namespace {

// The usual soft limit of 1024 is less than the connections that we allow.
void allow_many_files() {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address == "localhost";
}

}  // namespace

int up(const Config& config, const std::string& version, const Companion& companion) {
  const auto began = std::chrono::steady_clock::now();
  base::StopSignals stop;
  allow_many_files();
  base::set_log_level(config.log_level);
  Server server(config, version);
  if (companion.start) companion.start(server.url(), server.root_key());
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began);
  std::printf("stoker %s is ready at %s, its data in %s (%lld ms)\n", version.c_str(), server.url().c_str(),
              std::filesystem::absolute(config.data).c_str(), static_cast<long long>(took.count()));
  std::fflush(stdout);
  if (config.tls_certificate.empty() && !is_loopback(config.address)) {
    base::log_warn("requests and answers are not encrypted on the network: use --tls-cert and --tls-key",
                   {{"address", config.address}});
  }

  stop.wait();
  base::log_info("stopping");
  stop.let_through();
  if (companion.stop) companion.stop();
  server.drain();
  return 0;
}

}  // namespace control
