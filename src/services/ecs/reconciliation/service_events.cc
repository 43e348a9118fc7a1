// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/reconciliation/service_events.h"

#include <fmt/format.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include "base/random.h"
#include "services/ecs/arn.h"
#include "services/ecs/reconciliation/blocked_start.h"
#include "services/ecs/state_events.h"
#include "wire/timestamp.h"

namespace services::ecs {
namespace {

namespace json = boost::json;

constexpr char kUnplaced[] = "was unable to place a task because no container instance met all of its requirements.";
constexpr char kQueueIsFull[] =
    "was unable to place tasks in your cluster because the tasks provisioning capacity limit was exceeded.";
constexpr char kMoreInformation[] =
    " For more information, see the Troubleshooting section of the Amazon ECS Developer Guide.";
constexpr char kSteadyState[] = "has reached a steady state.";

// What the closest machine lacks.
std::string_view shortcoming(scheduler::Reason reason) {
  switch (reason) {
    case scheduler::Reason::Cpu: return "has insufficient CPU units available.";
    case scheduler::Reason::Memory: return "has insufficient memory available.";
    case scheduler::Reason::Gpu: return "has insufficient GPU resource available.";
    case scheduler::Reason::Ports: return "is already using a port required by your task.";
    case scheduler::Reason::Attribute: return "is missing an attribute required by your task.";
    case scheduler::Reason::MemberOf: return "encountered error \"MemberOf placement constraint unsatisfied.\"";
    case scheduler::Reason::DistinctInstance:
      return "encountered error \"DistinctInstance placement constraint unsatisfied.\"";
    case scheduler::Reason::Agent: return "doesn't have the agent connected.";
    case scheduler::Reason::Inactive:
    case scheduler::Reason::Missing: break;
  }
  return "encountered error \"INACTIVE\".";
}

Condition unplaced(const ServiceSnapshot& snapshot, const Trial& trial) {
  const scheduler::Failure* closest = scheduler::closest(*trial.refusal);
  Condition condition;
  condition.action = ServiceAction{.type = "ERROR", .name = "SERVICE_TASK_PLACEMENT_FAILURE"};
  std::string text = kUnplaced;
  if (trial.zone) {
    text = fmt::format("is unable to place a task in {} because no container instance met all of its requirements.",
                       *trial.zone);
  } else if (trial.queue_is_full) {
    text = kQueueIsFull;
  } else if (trial.provider_is_empty) {
    text += " Reason: No Container Instances were found in your capacity provider.";
  } else if (!closest) {
    text += " Reason: No Container Instances were found in your cluster.";
  } else {
    text += fmt::format(" The closest matching (container-instance {}) {}", closest->instance.str(),
                        shortcoming(closest->reason));
  }
  if (closest) {
    condition.action->reason = std::string(scheduler::text(closest->reason));
    condition.action->instances.push_back(instance_arn(snapshot.cluster, closest->instance));
  }
  condition.message = service_event(snapshot, text + kMoreInformation);
  return condition;
}

// Failing tasks are one condition from the first back-off until one of them proves itself or the service is updated: a
// start that is tried in between does not end it.
bool keeps_failing(const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan) {
  if (plan.throttled) return true;
  if (snapshot.primary().rollout == state::Rollout::Failed || plan.healthy_again) return false;
  if (plan.verdict != scheduler::Verdict::None) return false;
  return scheduler::back_off_ends(snapshot.view.deployments.front()).has_value();
}

void add_array(json::object& detail, const char* name, const std::vector<std::string>& texts) {
  if (texts.empty()) return;
  json::array& array = detail[name].emplace_array();
  for (const std::string& text : texts) array.emplace_back(text);
}

}  // namespace

std::string service_event(const ServiceRows& rows, std::string_view text) {
  return fmt::format("(service {}) {}", rows.service.name, text);
}

std::string task_list(const std::vector<model::TaskId>& tasks) {
  std::string list;
  for (const model::TaskId& task : tasks) list += " (task " + task.str() + ")";
  return list;
}

std::vector<Condition> conditions_of(Call& call, const ServiceSnapshot& snapshot, const scheduler::ServicePlan& plan,
                                     const Trial& trial) {
  std::vector<Condition> conditions;
  // A plan that stops tasks makes room: that is progress.
  if (trial.refusal && plan.stops.empty()) {
    const BlockedStart blocked = explain_blocked(call, snapshot, trial);
    if (!blocked.progresses) conditions.push_back(unplaced(snapshot, trial));
    if (!blocked.text.empty()) conditions.push_back({.message = service_event(snapshot, blocked.text)});
  }
  if (keeps_failing(snapshot, plan)) {
    conditions.push_back({.message = service_event(snapshot, "is unable to consistently start tasks successfully." +
                                                                 std::string(kMoreInformation)),
                          .action = ServiceAction{.type = "WARN", .name = "SERVICE_TASK_START_IMPAIRED"}});
  }
  if (plan.stuck) {
    conditions.push_back(
        {.message =
             service_event(snapshot,
                           "was unable to stop or start tasks during a deployment because of the service deployment "
                           "configuration. Update the minimumHealthyPercent or maximumPercent value and try again.")});
  }
  if (plan.protected_tasks > 0) {
    conditions.push_back(
        {.message = service_event(snapshot, fmt::format("was unable to reach steady state because (taskSet {}) was "
                                                        "unable to scale in due to (reason {} tasks under protection)",
                                                        deployment_name(snapshot.primary()), plan.protected_tasks)),
         .action = ServiceAction{.type = "INFO", .name = "TASKSET_SCALE_IN_FAILURE_BY_TASK_PROTECTION"}});
  }
  return conditions;
}

ConditionKind kind_of(std::string_view message) {
  struct Words {
    std::string_view text;
    ConditionKind kind;
  };
  constexpr Words kWords[] = {{" unable to place ", ConditionKind::Unplaced},
                              {" waits for ", ConditionKind::Waits},
                              {" unable to consistently start ", ConditionKind::Throttled},
                              {" unable to stop or start ", ConditionKind::Stuck},
                              {" unable to scale in ", ConditionKind::Protected}};
  for (const Words& words : kWords) {
    if (message.find(words.text) != std::string_view::npos) return words.kind;
  }
  return ConditionKind::Other;
}

std::vector<Condition> to_announce(const std::vector<Condition>& conditions, ServiceQueue::Announced& announced,
                                   base::Time now) {
  std::vector<Condition> news;
  ServiceQueue::Announced holding;
  for (const Condition& condition : conditions) {
    const ConditionKind kind = kind_of(condition.message);
    if (const auto known = announced.find(kind); known != announced.end()) {
      ServiceQueue::Announcement last = known->second;
      last.changed = last.message != condition.message;
      if (last.at + (last.changed ? kChangedEventAfter : kRepeatEventsAfter) > now) {
        holding[kind] = std::move(last);
        continue;
      }
    }
    holding[kind] = {.message = condition.message, .at = now};
    news.push_back(condition);
  }
  announced = std::move(holding);
  return news;
}

std::optional<base::Time> next_announcement(const ServiceQueue::Announced& announced) {
  std::optional<base::Time> next;
  for (const auto& [kind, last] : announced) {
    const base::Time at = last.at + (last.changed ? kChangedEventAfter : kRepeatEventsAfter);
    if (!next || at < *next) next = at;
  }
  return next;
}

ServiceQueue::Announced read_announced(store::Tx& tx, state::ServiceNumber service, base::Time now) {
  ServiceQueue::Announced announced;
  for (const state::ServiceEvent& event : state::list_service_events(tx, service)) {
    // All that was announced before was over then.
    if (event.message.ends_with(kSteadyState) || event.created_at + kRepeatEventsAfter <= now) break;
    const ConditionKind kind = kind_of(event.message);
    if (kind == ConditionKind::Other) continue;
    announced.try_emplace(kind, ServiceQueue::Announcement{.message = event.message, .at = event.created_at});
  }
  return announced;
}

void write_event(Call& call, const ServiceRows& rows, std::string message) {
  state::insert_service_event(call.tx, rows.service.number,
                              {.id = base::random_uuid(), .created_at = call.now, .message = std::move(message)});
}

void publish_action(Call& call, const ServiceRows& rows, const ServiceAction& action) {
  if (!has_event_rules(call)) return;
  json::object detail;
  detail["eventType"] = action.type;
  detail["eventName"] = action.name;
  detail["clusterArn"] = cluster_arn(rows.cluster);
  detail["createdAt"] = wire::to_iso8601(call.now, true);
  if (!action.reason.empty()) detail["reason"] = action.reason;
  if (action.desired) detail["desiredCount"] = *action.desired;
  add_array(detail, "containerInstanceArns", action.instances);
  add_array(detail, "taskArns", action.tasks);
  publish(call, rows.cluster, {kServiceAction, {rows.arn()}, json::serialize(detail)});
}

void publish_deployment(Call& call, const ServiceRows& rows, const state::Deployment& deployment,
                        const DeploymentAction& action) {
  if (!has_event_rules(call)) return;
  json::object detail;
  detail["eventType"] = action.type;
  detail["eventName"] = action.name;
  detail["deploymentId"] = deployment_name(deployment);
  detail["updatedAt"] = wire::to_iso8601(call.now, true);
  detail["reason"] = action.reason;
  publish(call, rows.cluster, {kDeploymentStateChange, {rows.arn()}, json::serialize(detail)});
}

}  // namespace services::ecs
