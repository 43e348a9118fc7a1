// SPDX-License-Identifier: Apache-2.0
// Describing, draining and deregistering container instances. registration.cc registers them.
#include "services/ecs/machines/instance_operations.h"

#include "services/ecs/arn.h"
#include "scheduler/expression.h"
#include "services/ecs/errors.h"
#include "services/ecs/identifiers.h"
#include "services/ecs/machines/departure.h"
#include "services/ecs/machines/fleets.h"
#include "services/ecs/operations.h"
#include "services/ecs/page.h"
#include "services/ecs/state_events.h"
#include "state/task.h"

namespace services::ecs {
namespace {

constexpr std::size_t kMaxDescribed = 100;
constexpr std::size_t kMaxUpdated = 10;  // Amazon's
constexpr std::size_t kSlice = 101;      // a page of the usual size, and whether there is more

scheduler::Expression parse_filter(const std::string& text) {
  auto parsed = scheduler::Expression::parse(text);
  if (!parsed) throw invalid_parameter("Invalid filter: " + parsed.error());
  return std::move(*parsed);
}

bool matches(Call& call, const scheduler::Expression& filter, const StoredInstance& instance) {
  return filter.matches(instance.for_scheduler(), state::list_holds(call.tx, instance.id));
}

void check_named(const std::vector<std::string>& instances, std::size_t most) {
  if (instances.empty()) throw invalid_parameter("Container instance cannot be empty.");
  check_at_most(most, instances.size(), "instanceIds");
}

// Only ACTIVE and DRAINING can be requested.
model::InstanceStatus requested_status(const std::string& text) {
  const auto status = model::instance_status(text);
  if (status == model::InstanceStatus::Active || status == model::InstanceStatus::Draining) return *status;
  throw invalid_parameter("Container instances can be updated to ACTIVE or DRAINING, not to " + text + ".");
}

}  // namespace

DescribeContainerInstancesResponse describe_container_instances(Call& call,
                                                                const DescribeContainerInstancesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  check_named(request.containerInstances, kMaxDescribed);
  InstanceFields fields;
  for (const std::string& field : request.include.value_or(std::vector<std::string>())) {
    if (field == "TAGS") fields.tags = true;
    if (field == "CONTAINER_INSTANCE_HEALTH") fields.health = true;
  }
  DescribeContainerInstancesResponse response;
  response.containerInstances.emplace();
  response.failures.emplace();
  for (const std::string& text : request.containerInstances) {
    if (auto instance = find_requested_instance(call.tx, cluster, text)) {
      response.containerInstances->push_back(shown(call.tx, cluster, *instance, fields));
    } else {
      response.failures->push_back(missing_instance(cluster, text));
    }
  }
  return response;
}

ListContainerInstancesResponse list_container_instances(Call& call, const ListContainerInstancesRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const Page page = page_of(request.maxResults, request.nextToken);
  std::optional<scheduler::Expression> filter;
  if (request.filter && !request.filter->empty()) filter = parse_filter(*request.filter);
  std::vector<std::string> ids;
  const auto enough = static_cast<std::size_t>(page.size) + 1;
  std::string after = page.after;
  for (bool more = true; more && ids.size() < enough;) {
    const auto slice = state::list_machines(call.tx, cluster.number, after, kSlice);
    more = slice.size() == kSlice;
    for (const state::Machine& instance : slice) {
      after = instance.id.str();
      // Without a status, all but INACTIVE ones.
      if (request.status && model::text(instance.status) != *request.status) continue;
      if (filter && !matches(call, *filter, to_instance(instance))) continue;
      ids.push_back(instance.id.str());
      if (ids.size() == enough) break;
    }
  }
  ListContainerInstancesResponse response;
  response.nextToken = cut_page(ids, page);
  response.containerInstanceArns.emplace();
  for (const std::string& id : ids) response.containerInstanceArns->push_back(instance_arn(cluster, model::InstanceId(id)));
  return response;
}

UpdateContainerInstancesStateResponse update_container_instances_state(
    Call& call, const UpdateContainerInstancesStateRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  const model::InstanceStatus status = requested_status(request.status);
  check_named(request.containerInstances, kMaxUpdated);
  UpdateContainerInstancesStateResponse response;
  response.containerInstances.emplace();
  response.failures.emplace();
  for (const std::string& text : request.containerInstances) {
    auto instance = find_requested_instance(call.tx, cluster, text);
    if (!instance) {
      response.failures->push_back(missing_instance(cluster, text));
      continue;
    }
    if (instance->status == model::InstanceStatus::Inactive) {
      response.failures->push_back({.arn = instance_arn(cluster, instance->id), .reason = "INACTIVE"});
      continue;
    }
    if (instance->status != status) {
      instance->status = status;
      update_instance(call.tx, *instance);
      put_in_fleet(call, *instance);
      publish_instance_change(call, instance->id);
    }
    response.containerInstances->push_back(shown(call.tx, cluster, *instance, {}));
  }
  return response;
}

DeregisterContainerInstanceResponse deregister_container_instance(Call& call,
                                                                  const DeregisterContainerInstanceRequest& request) {
  const state::Cluster cluster = find_cluster(call, request.cluster);
  StoredInstance instance = find_instance(call.tx, cluster, request.containerInstance);
  if (instance.status != model::InstanceStatus::Inactive) {
    if (!request.force.value_or(false) && !state::list_tasks_on(call.tx, instance.id).empty()) {
      throw invalid_parameter("Found running tasks on the instance.");
    }
    deregister(call, instance, "Container instance deregistration forced by user.");
  }
  return {.containerInstance = shown(call.tx, cluster, instance, {.tags = true})};
}

std::vector<Operation> instance_operations() {
  return {
      operation<&deregister_container_instance>("DeregisterContainerInstance", Access::Write),
      operation<&describe_container_instances>("DescribeContainerInstances", Access::Read),
      operation<&list_container_instances>("ListContainerInstances", Access::Read),
      operation<&update_container_instances_state>("UpdateContainerInstancesState", Access::Write),
  };
}

}  // namespace services::ecs
