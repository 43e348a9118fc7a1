// SPDX-License-Identifier: Apache-2.0
#include "services/ecs/state_events.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "services/directory.h"
#include "services/ecs/arn.h"
#include "services/ecs/tasks/task_view.h"
#include "services/invoke.h"
#include "services/shape_json.h"
#include "shapes/events/event.h"
#include "shapes/events/rule.h"
#include "wire/timestamp.h"

namespace services::ecs {
namespace {

namespace json = boost::json;
using shapes::events::ListRulesRequest;
using shapes::events::ListRulesResponse;
using shapes::events::PutEventsRequest;
using shapes::events::PutEventsResponse;

constexpr std::string_view kOneRule = "ListOneEnabledRule";

// Timestamps are numbers in answers and ISO 8601 texts in events. All of them, and nothing else, are named "...At".
void write_times_as_text(json::value& value) {
  if (json::array* elements = value.if_array()) {
    for (json::value& element : *elements) write_times_as_text(element);
  }
  json::object* members = value.if_object();
  if (!members) return;
  for (auto& [name, member] : *members) {
    if (name.ends_with("At") && member.is_number()) {
      const auto time = wire::from_epoch(member.to_number<double>());
      if (time) member = wire::to_iso8601(*time, true);
    } else {
      write_times_as_text(member);
    }
  }
}

template <class Shape>
std::string detail_of(const Shape& shape, base::Time updated_at) {
  json::value detail = json::parse(to_json(shape));
  write_times_as_text(detail);
  detail.get_object()["updatedAt"] = wire::to_iso8601(updated_at, true);
  return json::serialize(detail);
}

// What DescribeTasks shows and Amazon's event does not have.
void leave_out(shapes::ecs::Task& task) {
  task.tags.reset();
  task.healthStatus.reset();
  task.enableExecuteCommand.reset();
  if (!task.containers) return;
  for (shapes::ecs::Container& container : *task.containers) container.healthStatus.reset();
}

void publish_instance(Call& call, const StoredInstance& instance) {
  const auto cluster = state::find_cluster(call.tx, instance.cluster);
  if (!cluster) return;
  shapes::ecs::ContainerInstance shape = shown(call.tx, *cluster, instance, {});
  shape.tags.reset();
  publish(call, *cluster,
          {"ECS Container Instance State Change", {*shape.containerInstanceArn}, detail_of(shape, call.now)});
}

}  // namespace

// A test of ECS alone has no directory.
bool has_event_rules(Call& call) {
  if (!call.directory || !call.directory->find("events", kOneRule)) return false;
  return !invoke<ListRulesResponse>(call, call.caller, "events", kOneRule, ListRulesRequest()).Rules->empty();
}

void publish(Call& call, const state::Cluster& cluster, const StateEvent& event) {
  if (!has_event_rules(call)) return;
  Caller sender = as_service(call, "ecs.amazonaws.com", cluster_arn(cluster), cluster.account);
  sender.region = cluster.region;
  PutEventsRequest request;
  request.Entries.resize(1);
  request.Entries[0].Source = "aws.ecs";
  request.Entries[0].DetailType = std::string(event.detail_type);
  request.Entries[0].Resources = event.resources;
  request.Entries[0].Detail = event.detail_json;
  invoke<PutEventsResponse>(call, sender, "events", "PutEvents", request);
}

void publish_task_change(Call& call, const state::Cluster& cluster, const model::TaskId& id) {
  if (!has_event_rules(call)) return;
  const auto task = state::find_task(call.tx, id);
  if (!task) return;
  TaskView view(call, cluster);
  shapes::ecs::Task shape = view.show(*task, false);
  leave_out(shape);
  publish(call, cluster, {"ECS Task State Change", {*shape.taskArn}, detail_of(shape, call.now)});
  if (task->stopped_at) publish_resource_change(call, task->machine);
}

void publish_task_change(Call& call, const state::TaskState& task) {
  if (!has_event_rules(call)) return;
  if (const auto cluster = state::find_cluster(call.tx, task.cluster)) publish_task_change(call, *cluster, task.id);
}

void publish_instance_change(Call& call, const model::InstanceId& id) {
  if (!has_event_rules(call)) return;
  if (const auto instance = load_instance(call.tx, id)) publish_instance(call, *instance);
}

void publish_resource_change(Call& call, const model::InstanceId& id) {
  if (!has_event_rules(call)) return;
  auto instance = load_instance(call.tx, id);
  if (!instance || instance->status == model::InstanceStatus::Inactive) return;
  update_instance(call.tx, *instance);
  publish_instance(call, *instance);
}

}  // namespace services::ecs
