// SPDX-License-Identifier: Apache-2.0
#include "agent/session/health_watch.h"

#include <algorithm>
#include <filesystem>

#include "agent/session/socket.h"

namespace agent {
namespace asio = boost::asio;
namespace {

constexpr const char* kEngine = "engine";
constexpr const char* kDisk = "disk";
constexpr base::Duration kLongestEnginePause = std::chrono::seconds(5);
// The kernel reports no event for a disk that fills.
constexpr base::Duration kDiskInterval = std::chrono::seconds(10);

}  // namespace

std::optional<std::string> disk_trouble(const DiskRule& rule, bool full) {
  const std::int64_t required = full ? rule.min_free_mib + rule.min_free_mib / 4 : rule.min_free_mib;
  for (const std::string& folder : rule.folders) {
    std::error_code error;
    const std::filesystem::space_info space = std::filesystem::space(folder, error);
    if (error) continue;  // not on this machine: an engine elsewhere has its own disk
    const auto free = static_cast<std::int64_t>(space.available >> 20);
    if (free >= required) continue;
    return "its disk is full: " + std::to_string(free) + " MiB free in " + folder + ", " + std::to_string(required) +
           " MiB required";
  }
  return std::nullopt;
}

asio::awaitable<void> HealthWatch::watch_engine() {
  base::Duration pause = machine_.timing.retry;
  for (;;) {
    base::Result<drivers::Nothing> responds = co_await machine_.driver.ping();
    if (responds) {
      machine_.health.clear(kEngine);
      pause = machine_.timing.retry;
      co_await machine_.driver.watch_engine();
      continue;
    }
    machine_.health.set(kEngine, "its container engine does not respond: " + responds.error(), machine_.clock.now());
    co_await sleep_for(pause);
    pause = std::min(pause * 2, std::max(kLongestEnginePause, machine_.timing.retry));
  }
}

asio::awaitable<void> HealthWatch::watch_disks() {
  bool full = false;
  for (;;) {
    const std::optional<std::string> trouble = disk_trouble(disks_, full);
    full = trouble.has_value();
    if (trouble) {
      machine_.health.set(kDisk, *trouble, machine_.clock.now());
    } else {
      machine_.health.clear(kDisk);
    }
    co_await sleep_for(kDiskInterval);
  }
}

// Also ends pauses after failed starts. A new session begins with the state of that moment.
asio::awaitable<void> HealthWatch::report() {
  std::string known;
  for (;;) {
    machine_.health.resume(machine_.clock.now());
    std::string frame = wire::write_frame("StokerHealth", machine_.health.message());
    if (frame != known && session_.socket()) session_.socket()->send(frame);
    known = std::move(frame);
    const std::optional<base::Time> until = machine_.health.paused_until();
    const base::Duration longest = until ? *until - machine_.clock.now() : kLongestWait;
    co_await machine_.health.changed().wait(std::clamp(longest, base::Duration(1), kLongestWait));
  }
}

}  // namespace agent
