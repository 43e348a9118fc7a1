// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_state.h"

#include <algorithm>

#include "agent/drivers/cpu_percent.h"
#include "agent/drivers/docker_api.h"
#include "agent/drivers/docker_create.h"
#include "agent/drivers/docker_ports.h"
#include "wire/timestamp.h"

namespace agent::drivers {
namespace {

namespace json = boost::json;

base::Time time_at(const json::value& in, std::initializer_list<std::string_view> path) {
  return wire::from_iso8601(text_at(in, path)).value_or(base::Time());
}

Phase phase_named(std::string_view status) {
  // "configured" and "initialized" are Podman's.
  if (status == "created" || status == "configured" || status == "initialized") return Phase::Created;
  if (status == "exited" || status == "dead" || status == "removing" || status == "stopped") return Phase::Exited;
  return Phase::Running;
}

}  // namespace

Phase phase_of(const json::value& inspected) { return phase_named(text_at(inspected, {"State", "Status"})); }

std::optional<Exit> exit_of(const json::value& inspected) {
  const Phase phase = phase_of(inspected);
  Exit exit;
  exit.code = static_cast<int>(number_at(inspected, {"State", "ExitCode"}));
  exit.out_of_memory = flag_at(inspected, {"State", "OOMKilled"});
  exit.error = text_at(inspected, {"State", "Error"});
  // The engine records the start after the process began; for a short process that is after its end.
  exit.at = std::max(time_at(inspected, {"State", "FinishedAt"}), time_at(inspected, {"State", "StartedAt"}));
  // A container that could not be started stays "created" and has an error.
  const bool ended = phase == Phase::Exited || (phase == Phase::Created && !exit.error.empty());
  return ended ? std::optional(exit) : std::nullopt;
}

std::string address_of(const json::value& inspected) {
  const json::value* networks = find(inspected, {"NetworkSettings", "Networks"});
  if (!networks || !networks->is_object()) return "";
  for (const auto& [name, network] : networks->get_object()) {
    const std::string address = text_at(network, {"IPAddress"});
    if (!address.empty()) return address;
  }
  return "";
}

Started started_of(const json::value& inspected) {
  Started started;
  started.bindings = bindings_of(inspected);
  started.address = address_of(inspected);
  started.pid = number_at(inspected, {"State", "Pid"});
  started.at = time_at(inspected, {"State", "StartedAt"});
  return started;
}

std::string health_of(const json::value& inspected) {
  const std::string status = text_at(inspected, {"State", "Health", "Status"});
  if (status == "healthy") return "HEALTHY";
  return status == "unhealthy" ? "UNHEALTHY" : "UNKNOWN";
}

std::vector<Found> found_in(const json::value& list) {
  std::vector<Found> found;
  if (!list.is_array()) return found;
  for (const json::value& entry : list.get_array()) {
    Found one;
    one.id = text_at(entry, {"Id"});
    one.task_arn = text_at(entry, {"Labels", kTaskLabel});
    one.container = text_at(entry, {"Labels", kContainerLabel});
    one.phase = phase_named(text_at(entry, {"State"}));
    if (one.container != kHolderContainer) found.push_back(std::move(one));
  }
  return found;
}

std::vector<std::string> ids_in(const json::value& list) {
  std::vector<std::string> ids;
  if (!list.is_array()) return ids;
  for (const json::value& entry : list.get_array()) ids.push_back(text_at(entry, {"Id"}));
  return ids;
}

CpuSample cpu_sample(const json::value& stats) {
  return {number_at(stats, {"cpu_stats", "cpu_usage", "total_usage"}), time_at(stats, {"read"})};
}

CpuSample cpu_sample_before(const json::value& stats) {
  return {number_at(stats, {"precpu_stats", "cpu_usage", "total_usage"}), time_at(stats, {"preread"})};
}

double cpu_percent(const CpuSample& before, const CpuSample& now) {
  if (base::to_millis(before.at) <= 0) return 0;
  return cpu_percent(now.used_ns - before.used_ns, now.at - before.at);
}

std::int64_t memory_bytes(const json::value& stats) {
  const std::int64_t used = number_at(stats, {"memory_stats", "usage"});
  std::int64_t cached = number_at(stats, {"memory_stats", "stats", "total_inactive_file"});  // cgroup v1
  if (cached == 0) cached = number_at(stats, {"memory_stats", "stats", "inactive_file"});
  return cached < used ? used - cached : used;
}

}  // namespace agent::drivers
