// SPDX-License-Identifier: Apache-2.0
// Differences between two looks at a cluster, as `stoker events` prints them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/rows.h"

namespace cli {

struct ClusterState {
  std::map<std::string, shapes::ecs::Task> tasks;                  // by ARN
  std::map<std::string, shapes::ecs::ContainerInstance> machines;  // by ARN
  std::map<std::string, std::string> machine_names;                // by ARN
};

struct ClusterChange {
  std::string kind;    // "task", "machine"
  std::string arn;
  std::string text;    // "task 3fa94c1b2d77 of train:3 is RUNNING on box-a"
  std::string status;  // of the task or machine
};

// What differs: tasks first, each in the order of ARNs.
std::vector<ClusterChange> changes_between(const ClusterState& before, const ClusterState& after, base::Time now);

}  // namespace cli
