// SPDX-License-Identifier: Apache-2.0
// The parent cgroup of a task's containers, whose limits apply to all of them together. It outlives the agent, and is
// removed with the task.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <set>
#include <string>
#include <vector>

#include "agent/drivers/cgroup.h"
#include "shapes/agent/task.h"

namespace agent::drivers {

// How the engine names cgroups: by paths, or as units of systemd.
enum class CgroupDriver { Paths, Systemd };

// "stoker/docker-1a2b3c4d/<task>". The agent's name is hashed: it may be long.
std::string task_cgroup_path(const std::string& agent_name, const std::string& task_arn);
// "stoker-1a2b3c4d-<task>.slice": a dash separates a slice from the slice that contains it.
std::string task_slice(const std::string& agent_name, const std::string& task_arn);
// The settings of a slice, for `systemctl set-property`.
std::vector<std::string> slice_properties(const CgroupLimits& limits, bool unified);

class TaskCgroups {
 public:
  TaskCgroups(std::string agent_name, CgroupDriver driver)
      : agent_name_(std::move(agent_name)), driver_(driver), cgroups_(Cgroups::find()) {}

  // Creates the task's cgroup and returns its name for the engine. "" for a task without limits, and where this
  // machine can't set them: then each container has the task's limits for itself.
  boost::asio::awaitable<std::string> ensure(shapes::agent::Task task);
  boost::asio::awaitable<void> remove(std::string task_arn);

 private:
  const std::string agent_name_;
  const CgroupDriver driver_;
  const Cgroups cgroups_;
  std::set<std::string> slices_;  // that have their limits
};

}  // namespace agent::drivers
