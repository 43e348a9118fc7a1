// SPDX-License-Identifier: Apache-2.0
#include "agent/drivers/docker_cgroup.h"

#include <algorithm>
#include <cmath>

#include "agent/drivers/docker_create.h"
#include "agent/drivers/process_limits.h"
#include "agent/gpu/command.h"
#include "base/bytes.h"
#include "base/hash.h"
#include "base/log.h"

namespace agent::drivers {
namespace asio = boost::asio;
namespace {

std::string short_hash(const std::string& text) { return base::to_hex(base::sha256(text)).substr(0, 8); }

bool has_limits(const shapes::agent::Task& task) {
  return task.memory.value_or(0) > 0 || task.cpu.value_or(0) > 0;
}

// Returns the error, or "".
asio::awaitable<std::string> systemctl(std::vector<std::string> words) {
  gpu::Command command;
  command.words = std::move(words);
  command.words.insert(command.words.begin(), "systemctl");
  command.output_file = "/dev/null";
  base::Result<int> status = co_await gpu::run_command(std::move(command));
  if (!status) co_return status.error();
  co_return *status == 0 ? "" : "systemctl exited with " + std::to_string(*status);
}

}  // namespace

std::string task_cgroup_path(const std::string& agent_name, const std::string& task_arn) {
  return "stoker/docker-" + short_hash(agent_name) + "/" + name_part(task_id(task_arn));
}

std::string task_slice(const std::string& agent_name, const std::string& task_arn) {
  std::string task = name_part(task_id(task_arn));
  std::ranges::replace(task, '-', '_');
  return "stoker-" + short_hash(agent_name) + "-" + task + ".slice";
}

std::vector<std::string> slice_properties(const CgroupLimits& limits, bool unified) {
  std::vector<std::string> properties;
  if (limits.memory_bytes > 0) {
    properties.push_back((unified ? "MemoryMax=" : "MemoryLimit=") + std::to_string(limits.memory_bytes));
  }
  if (limits.cpus > 0) {
    const auto percent = std::max<std::int64_t>(1, std::llround(limits.cpus * 100));
    properties.push_back("CPUQuota=" + std::to_string(percent) + "%");
  }
  return properties;
}

asio::awaitable<std::string> TaskCgroups::ensure(shapes::agent::Task task) {
  if (!has_limits(task) || cgroups_.kind() == "none") co_return "";
  const CgroupLimits limits = task_limits(task);
  if (driver_ == CgroupDriver::Paths) {
    const std::string path = task_cgroup_path(agent_name_, task.arn);
    const base::Result<Nothing> created = cgroups_.create(path, limits);
    if (created) co_return "/" + path;
    base::log_warn("limits of a task apply to each of its containers", {{"task", task.arn}, {"why", created.error()}});
    co_return "";
  }
  const std::string slice = task_slice(agent_name_, task.arn);
  if (slices_.contains(slice)) co_return slice;
  std::vector<std::string> words = {"set-property", "--runtime", slice};
  for (std::string& property : slice_properties(limits, cgroups_.kind() == "v2")) words.push_back(std::move(property));
  const std::string error = co_await systemctl(std::move(words));
  if (!error.empty()) {
    base::log_warn("limits of a task apply to each of its containers", {{"task", task.arn}, {"why", error}});
    co_return "";
  }
  slices_.insert(slice);
  co_return slice;
}

asio::awaitable<void> TaskCgroups::remove(std::string task_arn) {
  if (driver_ == CgroupDriver::Paths) {
    cgroups_.remove(task_cgroup_path(agent_name_, task_arn));
    co_return;
  }
  const std::string slice = task_slice(agent_name_, task_arn);
  slices_.erase(slice);
  for (const char* verb : {"stop", "revert"}) {
    std::vector<std::string> words = {verb, slice};
    co_await systemctl(std::move(words));  // a slice that does not exist is an error, and fine
  }
}

}  // namespace agent::drivers
