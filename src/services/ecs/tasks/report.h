// SPDX-License-Identifier: Apache-2.0
// What the row of a task holds as JSON: its agent's last report, and its tags.
#pragma once

#include <boost/describe/class.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "shapes/ecs/state_change.h"
#include "shapes/ecs/tag.h"
#include "state/task.h"

namespace services::ecs {

// "Stopped tasks stay visible for an hour."
inline constexpr base::Duration kStoppedFor = std::chrono::hours(1);

// The only managed agent that ECS has.
inline constexpr std::string_view kExecAgent = "ExecuteCommandAgent";

struct Report {
  std::vector<shapes::ecs::ContainerStateChange> containers;
  std::map<std::string, std::string> health;  // by container
  std::map<std::string, shapes::ecs::ManagedAgentStateChange> exec_agents;  // by container
  std::optional<base::Time> pullStartedAt, pullStoppedAt, executionStoppedAt;
};
BOOST_DESCRIBE_STRUCT(Report, (), (containers, health, exec_agents, pullStartedAt, pullStoppedAt, executionStoppedAt))

// An empty one where its agent has not reported anything yet.
Report report_of(const state::TaskState& task);
void set_report(state::TaskState& task, const Report& report);

// nullopt: it has those of its launch.
std::optional<std::vector<shapes::ecs::Tag>> own_tags(const state::TaskState& task);
void set_own_tags(state::TaskState& task, std::vector<shapes::ecs::Tag> tags);

}  // namespace services::ecs
