// SPDX-License-Identifier: Apache-2.0
// The events of a service, in Amazon's words, and the same for EventBridge.
//
// A condition that lasts (no machine has room) is announced once, and again when it was over in between or after six
// hours. One whose text changes (another task holds the GPU) is announced again after five minutes at the earliest. What
// happens (tasks started) is announced each time.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/ecs/reconciliation/service_placement.h"
#include "services/ecs/reconciliation/service_queue.h"
#include "services/ecs/reconciliation/service_snapshot.h"

namespace services::ecs {

// Amazon's: after this an event whose cause lasts is repeated.
inline constexpr base::Duration kRepeatEventsAfter = std::chrono::hours(6);

// Ours: a service whose obstacle changes all the time must not lose its other events, of which 100 are kept.
inline constexpr base::Duration kChangedEventAfter = std::chrono::minutes(5);

// "ECS Service Action" of EventBridge.
struct ServiceAction {
  std::string_view type = {}, name = {};                // "ERROR", "SERVICE_TASK_PLACEMENT_FAILURE"
  std::string reason = {};                              // "RESOURCE:GPU"
  std::vector<std::string> instances = {}, tasks = {};  // ARNs
  std::optional<std::int32_t> desired = {};
};

// A condition that lasts.
struct Condition {
  std::string message;                       // the whole event
  std::optional<ServiceAction> action = {};  // absent: Amazon has none
};

// "(service web) has reached a steady state."
std::string service_event(const ServiceRows& rows, std::string_view text);
// " (task a) (task b)"
std::string task_list(const std::vector<model::TaskId>& tasks);

// What keeps the service from what it declares.
std::vector<Condition> conditions_of(Call& call, const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan,
                                     const Trial& trial);

// By its words, so that the events of a service show what was announced before the server started.
ConditionKind kind_of(std::string_view message);

// Of these conditions, the ones to announce now. `announced` is updated: it keeps those that still hold.
std::vector<Condition> to_announce(const std::vector<Condition>& conditions, ServiceQueue::Announced& announced,
                                   base::Time now);
// When one of them is announced again if nothing changes.
std::optional<base::Time> next_announcement(const ServiceQueue::Announced& announced);
// What was announced before the server started.
ServiceQueue::Announced read_announced(store::Tx& tx, state::ServiceNumber service, base::Time now);

void write_event(Call& call, const ServiceRows& rows, std::string message);
void publish_action(Call& call, const ServiceRows& rows, const ServiceAction& action);

// "ECS Deployment State Change".
struct DeploymentAction {
  std::string_view type = "INFO", name = {};  // "SERVICE_DEPLOYMENT_COMPLETED"
  std::string reason = {};
};
void publish_deployment(Call& call, const ServiceRows& rows, const state::Deployment& deployment,
                        const DeploymentAction& action);

}  // namespace services::ecs
