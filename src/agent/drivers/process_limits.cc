// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/process_limits.h"

#include <sys/utsname.h>

#include <algorithm>

namespace agent::drivers {
namespace {

constexpr std::int64_t kBytesPerMiB = 1024 * 1024;
constexpr std::int64_t kDefaultCpuShares = 2;  // ECS's value for a container without cpu

}  // namespace

CgroupLimits task_limits(const shapes::agent::Task& task) {
  CgroupLimits limits;
  limits.memory_bytes = task.memory.value_or(0) * kBytesPerMiB;
  limits.cpus = task.cpu.value_or(0);
  for (const auto& container : task.containers) limits.cpu_shares += std::max(kDefaultCpuShares, container.cpu);
  if (limits.cpus > 0) limits.cpu_shares = std::max<std::int64_t>(kDefaultCpuShares, std::int64_t(limits.cpus * 1024));
  return limits;
}

CgroupLimits container_limits(const shapes::agent::Container& container, const ProcessPlan& plan) {
  CgroupLimits limits;
  limits.memory_bytes = container.memory * kBytesPerMiB;
  if (plan.memory_and_swap_bytes > 0) {
    limits.swap_bytes = std::max<std::int64_t>(0, plan.memory_and_swap_bytes - limits.memory_bytes);
  }
  limits.reservation_bytes = plan.reservation_bytes;
  limits.cpu_shares = std::max(kDefaultCpuShares, container.cpu);
  limits.pids = plan.pids;
  return limits;
}

// Attributes that a task definition may require. Placement guarantees reservations, so they need no
// cgroup. Docker API versions stand for single features:
// 1.17 user, working directory; 1.18 ulimits; 1.19 log drivers; 1.20 swap; 1.21 memory reservation;
// 1.22 shared memory; 1.24, 1.29 health checks; 1.25 an init that reaps.
Abilities process_abilities(const Cgroups& cgroups, const WorkerPrograms& programs) {
  Abilities abilities{"process", "", {}};
  utsname kernel{};
  if (::uname(&kernel) == 0) abilities.version = kernel.release;
  std::vector<std::string> apis = {"1.17", "1.18", "1.19", "1.21", "1.22", "1.24", "1.25", "1.29"};
  if (cgroups.limits_memory()) apis.push_back("1.20");
  const std::string capability = "com.amazonaws.ecs.capability.";
  for (const std::string& api : apis) abilities.attributes.push_back(capability + "docker-remote-api." + api);
  for (const char* name : {"logging-driver.json-file", "logging-driver.none", "logging-driver.awslogs",
                           "privileged-container", "task-iam-role", "task-iam-role-network-host"}) {
    abilities.attributes.push_back(capability + name);
  }
  for (const char* name : {"container-health-check", "container-ordering", "container-restart-policy", "env-files.s3",
                           "execute-command", "execution-role-awslogs", "pid-ipc-namespace-sharing"}) {
    abilities.attributes.push_back(std::string("ecs.capability.") + name);
  }
  abilities.attributes.push_back("stoker.exec");
  abilities.attributes.push_back("stoker.cgroups=" + cgroups.kind());
  // Tasks of pipelines with a built-in processor are placed by it.
  for (const std::string& name : programs.builtins) abilities.attributes.push_back("stoker.builtin." + name);
  return abilities;
}

}  // namespace agent::drivers
