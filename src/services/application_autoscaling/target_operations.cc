// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"
#include "services/application_autoscaling/activity.h"
#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/policy.h"
#include "services/application_autoscaling/policy_alarms.h"
#include "services/application_autoscaling/scalable_target.h"
#include "services/application_autoscaling/service_capacity.h"
#include "services/application_autoscaling/target_tags.h"

namespace services::application_autoscaling {
namespace {

using namespace shapes::application_autoscaling;

// Amazon's quota of targets for ECS, per region.
constexpr std::int64_t kMaxTargets = 3000;

std::string service_role(const std::string& account) {
  return "arn:aws:iam::" + account +
         ":role/aws-service-role/ecs.application-autoscaling.amazonaws.com/"
         "AWSServiceRoleForApplicationAutoScaling_ECSService";
}

ScalableTarget show_target(const StoredTarget& target) {
  ScalableTarget shown;
  shown.ServiceNamespace = kNamespace;
  shown.ResourceId = target.resource;
  shown.ScalableDimension = kDimension;
  shown.MinCapacity = target.bounds.min;
  shown.MaxCapacity = target.bounds.max;
  shown.RoleARN = service_role(target.account);
  shown.CreationTime = target.created_at;
  shown.SuspendedState = target.suspended;
  shown.ScalableTargetARN = target.arn();
  return shown;
}

StoredTarget new_target(Call& call, const RegisterScalableTargetRequest& request) {
  if (!request.MinCapacity) throw validation_error("Minimum capacity must be specified");
  if (!request.MaxCapacity) throw validation_error("Maximum capacity must be specified");
  const auto capacity = read_capacity(call.tx, call.caller.account, call.caller.region, request.ResourceId);
  if (!capacity) throw validation_error("ECS service doesn't exist: " + request.ResourceId);
  if (capacity->daemon) throw validation_error("ECS service has no desired count: " + request.ResourceId);
  if (count_targets(call) >= kMaxTargets) throw limit_exceeded("scalable targets");
  StoredTarget target;
  target.account = call.caller.account;
  target.region = call.caller.region;
  target.resource = request.ResourceId;
  target.name = base::random_text(32, "0123456789abcdef");
  target.created_at = call.now;
  target.suspended = {.DynamicScalingInSuspended = false,
                      .DynamicScalingOutSuspended = false,
                      .ScheduledScalingSuspended = false};
  return target;
}

void set_suspended(const std::optional<bool>& from, std::optional<bool>& to) {
  if (from) to = from;
}

// A member that is absent stays as it is.
void change_target(StoredTarget& target, const RegisterScalableTargetRequest& request) {
  if (request.MinCapacity) target.bounds.min = *request.MinCapacity;
  if (request.MaxCapacity) target.bounds.max = *request.MaxCapacity;
  if (target.bounds.min < 0 || target.bounds.max < 0) throw validation_error("Capacity cannot be negative");
  if (target.bounds.max < target.bounds.min) {
    throw validation_error("Maximum capacity cannot be less than minimum capacity");
  }
  if (!request.SuspendedState) return;
  set_suspended(request.SuspendedState->DynamicScalingInSuspended, target.suspended.DynamicScalingInSuspended);
  set_suspended(request.SuspendedState->DynamicScalingOutSuspended, target.suspended.DynamicScalingOutSuspended);
  set_suspended(request.SuspendedState->ScheduledScalingSuspended, target.suspended.ScheduledScalingSuspended);
}

RegisterScalableTargetResponse register_scalable_target(Call& call, const RegisterScalableTargetRequest& request) {
  check_resource(request.ServiceNamespace, request.ScalableDimension, request.ResourceId);
  auto known = find_target(call, request.ResourceId);
  if (known && request.Tags && !request.Tags->empty()) {
    throw validation_error(
        "The scalable target that you tried to tag already exists. To update tags on an existing scalable target, use "
        "the TagResource API.");
  }
  StoredTarget target = known ? std::move(*known) : new_target(call, request);
  change_target(target, request);
  if (target.number == 0) {
    if (request.Tags) target.tags = with_tags({}, *request.Tags);
    insert_target(call.tx, target);
  } else {
    update_target(call.tx, target);
  }
  enforce_bounds(call, target);
  return {.ScalableTargetARN = target.arn()};
}

DescribeScalableTargetsResponse describe_scalable_targets(Call& call, const DescribeScalableTargetsRequest& request) {
  if (!lists_services(request.ServiceNamespace, request.ScalableDimension)) {
    return {.ScalableTargets = std::vector<ScalableTarget>()};
  }
  const Page page = read_page(request.MaxResults, request.NextToken);
  auto targets = list_targets(call, request.ResourceIds.value_or(std::vector<std::string>()), row_after(page),
                              page.size + 1);
  std::vector<std::string> keys;
  for (const StoredTarget& target : targets) keys.push_back(std::to_string(target.number));
  DescribeScalableTargetsResponse response;
  response.NextToken = cut_page(keys, page);
  targets.resize(keys.size());
  response.ScalableTargets.emplace();
  for (const StoredTarget& target : targets) response.ScalableTargets->push_back(show_target(target));
  return response;
}

DeregisterScalableTargetResponse deregister_scalable_target(Call& call,
                                                            const DeregisterScalableTargetRequest& request) {
  check_resource(request.ServiceNamespace, request.ScalableDimension, request.ResourceId);
  const auto target = find_target(call, request.ResourceId);
  if (!target) throw target_not_found("found", request.ResourceId);
  for (const StoredPolicy& policy : list_policies(call.tx, target->number)) delete_alarms(call, *target, policy);
  delete_target(call.tx, target->number);
  return {};
}

}  // namespace

std::vector<Operation> target_operations() {
  return {
      operation<&register_scalable_target>("RegisterScalableTarget", Access::Write),
      operation<&describe_scalable_targets>("DescribeScalableTargets", Access::Read),
      operation<&deregister_scalable_target>("DeregisterScalableTarget", Access::Write),
  };
}

}  // namespace services::application_autoscaling
