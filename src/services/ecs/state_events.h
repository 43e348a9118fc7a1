// SPDX-License-Identifier: Apache-2.0
// ECS's events for EventBridge, published in the transaction of the change that they report. A server without an
// enabled rule pays one lookup for each change.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "services/ecs/machines/instance.h"
#include "state/cluster.h"
#include "state/task.h"

namespace services::ecs {

inline constexpr std::string_view kServiceAction = "ECS Service Action";
inline constexpr std::string_view kDeploymentStateChange = "ECS Deployment State Change";

struct StateEvent {
  std::string_view detail_type;
  std::vector<std::string> resources = {};  // ARNs
  std::string detail_json;                  // an object
};

// Whether any rule is enabled. Ask before a detail is made that costs something.
bool has_event_rules(Call& call);

// Of the account and region of the cluster. Targets that reject the event do not fail the call.
void publish(Call& call, const state::Cluster& cluster, const StateEvent& event);

// "ECS Task State Change": after the row was written. A stopped task's machine has an event, too.
void publish_task_change(Call& call, const state::Cluster& cluster, const model::TaskId& task);
void publish_task_change(Call& call, const state::TaskState& task);

// "ECS Container Instance State Change": after the row was written.
void publish_instance_change(Call& call, const model::InstanceId& instance);
// The same where tasks were placed or have stopped there: what remains on it has changed, which is a new version.
void publish_resource_change(Call& call, const model::InstanceId& instance);

}  // namespace services::ecs
