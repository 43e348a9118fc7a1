// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_health.h"

#include <sys/stat.h>

#include <filesystem>

#include "agent/drivers/shim_launch.h"

namespace agent::drivers {
namespace {

constexpr base::Duration kShimExitMargin = std::chrono::seconds(15);  // the shim gives up earlier

// A check is a process with its own folder and shim.
ShimSpec spec_of_check(ShimSpec container) {
  container.command = container.health_check->command;
  container.time_limit_ms = container.health_check->timeout_ms;  // applies even if the agent ends
  container.health_check.reset();
  container.log_file.clear();
  container.oom_file.clear();
  return container;
}

// A temporary folder, removed also when the wait is cancelled.
struct CheckFolder {
  explicit CheckFolder(std::string at) : path(std::move(at)) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    ::mkdir(path.c_str(), 0700);
  }
  ~CheckFolder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string path;
};

}  // namespace

void record_check(HealthState& health, const ShimHealthCheck& check, bool passed, bool in_start_period) {
  if (passed) {
    health.status = "HEALTHY";
    health.failures = 0;
    return;
  }
  if (in_start_period && health.status == "UNKNOWN") return;
  if (++health.failures >= check.retries) health.status = "UNHEALTHY";
}

boost::asio::awaitable<bool> run_check(std::vector<std::string> shim_command, std::string folder, ShimSpec container) {
  const base::Duration timeout(container.health_check->timeout_ms);
  const CheckFolder check(folder + "/health");
  const auto written = write_part(check.path, "spec.json", spec_of_check(std::move(container)));
  if (!written) co_return false;
  auto started = co_await launch_shim(std::move(shim_command), check.path);
  if (!started) co_return false;
  if (auto shim = ShimHandle::find(check.path)) {
    const bool ended = co_await shim->ended(timeout + kShimExitMargin);
    if (!ended) co_return false;
  }
  const auto exit = read_exit(check.path);
  co_return exit && exit->code == 0;
}

}  // namespace agent::drivers
