// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_health.h"

#include <sys/stat.h>

#include <filesystem>

#include "agent/drivers/shim_launch.h"

namespace agent::drivers {
namespace {

constexpr base::Duration kKillPatience = std::chrono::seconds(15);  // a shim gives up before

// A check is a process like any other, with a folder and a shim of its own.
ShimSpec spec_of_check(ShimSpec container) {
  container.command = container.health_check->command;
  container.time_limit_ms = container.health_check->timeout_ms;  // holds when the agent ends meanwhile
  container.health_check.reset();
  container.log_file.clear();
  container.oom_file.clear();
  return container;
}

// Gone with whatever is in it, also when the wait for it is given up.
struct Folder {
  explicit Folder(std::string at) : path(std::move(at)) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    ::mkdir(path.c_str(), 0700);
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string path;
};

}  // namespace

void note_check(Health& health, const ShimHealthCheck& check, bool passed, bool in_start_period) {
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
  const Folder check(folder + "/health");
  const auto written = write_part(check.path, "spec.json", spec_of_check(std::move(container)));
  if (!written) co_return false;
  auto started = co_await launch_shim(std::move(shim_command), check.path);
  if (!started) co_return false;
  if (auto shim = ShimHandle::find(check.path)) {
    const bool ended = co_await shim->ended(timeout + kKillPatience);
    if (!ended) co_return false;
  }
  const auto exit = read_exit(check.path);
  co_return exit && exit->code == 0;
}

}  // namespace agent::drivers
