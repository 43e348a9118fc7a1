// SPDX-License-Identifier: Apache-2.0
// StartInstanceRefresh, CancelInstanceRefresh, RollbackInstanceRefresh and DescribeInstanceRefreshes.
#include <algorithm>
#include <limits>
#include <span>

#include "base/random.h"
#include "services/autoscaling/groups/group_instances.h"
#include "services/autoscaling/policies/policy_errors.h"
#include "services/autoscaling/policies/refresh.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

constexpr base::Duration kRefreshesShown = std::chrono::hours(24 * 42);  // Amazon's
constexpr std::int32_t kMaxDelay = 172800;                               // Amazon's, of checkpoints and baking

void check_healthy_percentages(const RefreshPreferences& preferences) {
  const auto min = preferences.MinHealthyPercentage, max = preferences.MaxHealthyPercentage;
  if (min && (*min < 0 || *min > 100)) throw invalid_request("MinHealthyPercentage must be between 0 and 100");
  if (max && (*max < 100 || *max > 200)) throw invalid_request("MaxHealthyPercentage must be between 100 and 200");
  if (max && !min) throw invalid_request("MaxHealthyPercentage requires MinHealthyPercentage");
  if (max && *max - *min > 100) {
    throw invalid_request("The difference between MinHealthyPercentage and MaxHealthyPercentage must not exceed 100");
  }
}

void check_checkpoints(const RefreshPreferences& preferences) {
  const auto percentages = preferences.CheckpointPercentages.value_or(std::vector<std::int32_t>());
  if (preferences.CheckpointDelay && percentages.empty()) {
    throw invalid_request("CheckpointDelay requires CheckpointPercentages");
  }
  for (std::size_t i = 0; i < percentages.size(); ++i) {
    if (percentages[i] < 1 || percentages[i] > 100) {
      throw invalid_request("CheckpointPercentages must be between 1 and 100");
    }
    if (i > 0 && percentages[i] <= percentages[i - 1]) {
      throw invalid_request("CheckpointPercentages must be unique and in ascending order");
    }
  }
}

void check_seconds(const std::optional<std::int32_t>& seconds, const std::string& field, std::int32_t most) {
  if (seconds && (*seconds < 0 || *seconds > most)) {
    throw invalid_request(field + " must be between 0 and " + std::to_string(most) + " seconds");
  }
}

void check_choice(const std::optional<std::string>& choice, const std::string& field,
                  std::span<const std::string_view> values) {
  if (choice && std::find(values.begin(), values.end(), *choice) == values.end()) {
    throw invalid_request("Invalid value for " + field + ": " + *choice);
  }
}

RefreshPreferences checked_preferences(RefreshPreferences preferences, const Group& group) {
  check_healthy_percentages(preferences);
  check_checkpoints(preferences);
  check_seconds(preferences.CheckpointDelay, "CheckpointDelay", kMaxDelay);
  check_seconds(preferences.BakeTime, "BakeTime", kMaxDelay);
  check_seconds(preferences.InstanceWarmup, "InstanceWarmup", std::numeric_limits<std::int32_t>::max());
  check_choice(preferences.ScaleInProtectedInstances, "ScaleInProtectedInstances", kScaleInProtectedInstancesValues);
  check_choice(preferences.StandbyInstances, "StandbyInstances", kStandbyInstancesValues);
  if (preferences.AlarmSpecification) throw invalid_request("Stoker does not support AlarmSpecification");
  if (!preferences.MinHealthyPercentage) preferences.MinHealthyPercentage = 90;
  if (!preferences.MaxHealthyPercentage) preferences.MaxHealthyPercentage = 100;
  if (!preferences.InstanceWarmup) {
    preferences.InstanceWarmup = group.settings.warmup_s.value_or(group.settings.grace_period_s);
  }
  const bool has_checkpoints = preferences.CheckpointPercentages && !preferences.CheckpointPercentages->empty();
  if (has_checkpoints && !preferences.CheckpointDelay) preferences.CheckpointDelay = 3600;
  if (!preferences.SkipMatching) preferences.SkipMatching = false;
  if (!preferences.AutoRollback) preferences.AutoRollback = false;
  if (!preferences.ScaleInProtectedInstances) preferences.ScaleInProtectedInstances = "Wait";
  if (!preferences.StandbyInstances) preferences.StandbyInstances = "Wait";
  return preferences;
}

// What is launched from now on has the desired configuration. Throws where EC2 does not have the template.
void set_desired_source(Call& call, Group& group, const DesiredConfiguration& desired) {
  if (desired.LaunchTemplate.has_value() == desired.MixedInstancesPolicy.has_value()) {
    throw invalid_request("DesiredConfiguration must have either a LaunchTemplate or a MixedInstancesPolicy");
  }
  set_source(group, {std::nullopt, desired.LaunchTemplate, desired.MixedInstancesPolicy});
  const LaunchSource source = current_launch_source(call, group);
  if (!desired.LaunchTemplate || !source.launch_template) return;
  auto& given = *group.settings.launch_template;
  given.LaunchTemplateId = source.launch_template->LaunchTemplateId;
  given.LaunchTemplateName = source.launch_template->LaunchTemplateName;
}

bool matches(const GroupInstance& instance, const LaunchSource& source) {
  if (source.launch_configuration) return instance.launch_configuration == source.launch_configuration;
  if (!source.launch_template || !instance.launch_template) return false;
  return instance.launch_template->LaunchTemplateId == source.launch_template->LaunchTemplateId &&
         instance.launch_template->Version == source.launch_template->Version;
}

std::vector<std::string> matching_instances(Call& call, const Group& group) {
  const LaunchSource source = current_launch_source(call, group);
  std::vector<std::string> ids;
  for (const GroupInstance& instance : list_group_instances(call.tx, group.number)) {
    if (matches(instance, source)) ids.push_back(instance.id);
  }
  return ids;
}

StartInstanceRefreshAnswer start_instance_refresh(Call& call, const StartInstanceRefreshType& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  if (request.Strategy.value_or("Rolling") != "Rolling") {
    throw invalid_request("Stoker does not support the strategy " + *request.Strategy);
  }
  RefreshRow refresh;
  refresh.record.preferences = checked_preferences(request.Preferences.value_or(RefreshPreferences()), group);
  if (active_refresh(call.tx, group.number)) {
    throw wire::ApiError("InstanceRefreshInProgressFault",
                         "An Instance Refresh is already in progress and blocks the execution of this Instance Refresh.");
  }
  delete_old_refreshes(call.tx, group.number, call.now - kRefreshesShown);
  refresh.group = group.number;
  refresh.uuid = base::random_uuid();
  refresh.status = "Pending";
  refresh.started_at = call.now;
  refresh.record.before = source_of(group);
  if (request.DesiredConfiguration) {
    refresh.record.desired = request.DesiredConfiguration;
    set_desired_source(call, group, *request.DesiredConfiguration);
    save_and_wake(call, group);
  }
  if (*refresh.record.preferences.AutoRollback && !can_roll_back(refresh.record)) {
    throw invalid_request("AutoRollback requires a DesiredConfiguration, and a launch template with a fixed version");
  }
  if (*refresh.record.preferences.SkipMatching) refresh.record.skipped = matching_instances(call, group);
  save_refresh(call.tx, refresh);
  call.wake(std::string(kGroupChangesTopic));
  return {.InstanceRefreshId = refresh.uuid};
}

RefreshRow find_active(Call& call, const Group& group) {
  auto refresh = active_refresh(call.tx, group.number);
  if (refresh) return *refresh;
  throw wire::ApiError("ActiveInstanceRefreshNotFoundFault",
                       "No in progress or pending Instance Refresh found for Auto Scaling group " + group.name);
}

CancelInstanceRefreshAnswer cancel_instance_refresh(Call& call, const CancelInstanceRefreshType& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  RefreshRow refresh = find_active(call, group);
  if (request.WaitForTransitioningInstances.value_or(true)) {
    refresh.status = "Cancelling";
    refresh.record.reason = "Cancelled due to user request.";
    save_refresh(call.tx, refresh);
  } else {
    end_refresh(call, group, refresh, "Cancelled", "Cancelled due to user request.");
  }
  call.wake(std::string(kGroupChangesTopic));
  return {.InstanceRefreshId = refresh.uuid};
}

RollbackInstanceRefreshAnswer rollback_instance_refresh(Call& call, const RollbackInstanceRefreshType& request) {
  Group group = find_group(call, request.AutoScalingGroupName);
  RefreshRow refresh = find_active(call, group);
  if (refresh.is_rollback() || refresh.status == "Cancelling" || !can_roll_back(refresh.record)) {
    throw wire::ApiError("IrreversibleInstanceRefreshFault",
                         "The instance refresh " + refresh.uuid + " of the Auto Scaling group " + group.name +
                             " cannot be rolled back");
  }
  start_rollback(call, group, refresh, "Rollback initiated by user request.");
  return {.InstanceRefreshId = refresh.uuid};
}

InstanceRefresh show_refresh(const Group& group, const RefreshRow& refresh) {
  InstanceRefresh shown;
  shown.InstanceRefreshId = refresh.uuid;
  shown.AutoScalingGroupName = group.name;
  shown.Status = refresh.status;
  if (!refresh.record.reason.empty()) shown.StatusReason = refresh.record.reason;
  shown.StartTime = refresh.started_at;
  shown.EndTime = refresh.ended_at;
  if (refresh.status != "Pending") {
    shown.PercentageComplete = refresh.record.percent;
    shown.InstancesToUpdate = refresh.record.to_update;
  }
  shown.Preferences = refresh.record.preferences;
  shown.DesiredConfiguration = refresh.record.desired;
  shown.RollbackDetails = refresh.record.rollback;
  shown.Strategy = "Rolling";
  return shown;
}

DescribeInstanceRefreshesAnswer describe_instance_refreshes(Call& call, const DescribeInstanceRefreshesType& request) {
  const NumberPage page = read_number_page(request.MaxRecords, request.NextToken);
  const Group group = find_group(call, request.AutoScalingGroupName);
  auto rows = list_refreshes(call.tx, group.number, page.after, call.now - kRefreshesShown);
  if (request.InstanceRefreshIds && !request.InstanceRefreshIds->empty()) {
    const auto& ids = *request.InstanceRefreshIds;
    std::erase_if(rows, [&](const RefreshRow& row) { return std::find(ids.begin(), ids.end(), row.uuid) == ids.end(); });
  }
  DescribeInstanceRefreshesAnswer answer;
  answer.NextToken = cut_number_page(rows, page);
  answer.InstanceRefreshes.emplace();
  for (const RefreshRow& row : rows) answer.InstanceRefreshes->push_back(show_refresh(group, row));
  return answer;
}

}  // namespace

std::vector<Operation> refresh_operations() {
  return {
      operation<&cancel_instance_refresh>("CancelInstanceRefresh", Access::Write),
      operation<&describe_instance_refreshes>("DescribeInstanceRefreshes", Access::Read),
      operation<&rollback_instance_refresh>("RollbackInstanceRefresh", Access::Write),
      operation<&start_instance_refresh>("StartInstanceRefresh", Access::Write),
  };
}

}  // namespace services::autoscaling
