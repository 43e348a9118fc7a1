// SPDX-License-Identifier: Apache-2.0
// Scheduled actions: at a time, the bounds of a target change.
#include <algorithm>

#include "autoscaler/schedule.h"
#include "base/random.h"
#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/scalable_target.h"
#include "services/application_autoscaling/scheduled_action.h"
#include "services/arn.h"
#include "services/shape_json.h"

namespace services::application_autoscaling {
namespace {

using namespace shapes::application_autoscaling;

constexpr std::int64_t kMaxSchedules = 200;  // of a target, Amazon's

std::string schedule_arn(const StoredTarget& target, const std::string& name) {
  const std::string resource = "scheduledAction:" + base::random_uuid() + ":resource/ecs/" + target.resource +
                               ":scheduledActionName/" + name;
  return Arn{"autoscaling", target.region, target.account, resource}.str();
}

void check_schedule(const ScheduledAction& action) {
  const auto schedule = autoscaler::parse_schedule(action.Schedule);
  if (!schedule) throw validation_error(schedule.error());
  if (action.Timezone && !base::TimeZone::load(*action.Timezone)) {
    throw validation_error("Invalid timezone: " + *action.Timezone);
  }
  if (!action.ScalableTargetAction) throw validation_error("ScalableTargetAction must be set");
  const auto& bounds = *action.ScalableTargetAction;
  if (!bounds.MinCapacity && !bounds.MaxCapacity) {
    throw validation_error("At least one of minimum capacity and maximum capacity should be provided");
  }
  if (bounds.MinCapacity.value_or(0) < 0 || bounds.MaxCapacity.value_or(0) < 0) {
    throw validation_error("Capacity cannot be negative");
  }
  if (bounds.MinCapacity && bounds.MaxCapacity && *bounds.MaxCapacity < *bounds.MinCapacity) {
    throw validation_error("Maximum capacity cannot be less than minimum capacity");
  }
  if (action.StartTime && action.EndTime && *action.StartTime >= *action.EndTime) {
    throw validation_error("StartTime must be before EndTime");
  }
}

// Members that are absent stay as they are, except both times, which are then removed.
void change_schedule(ScheduledAction& action, const PutScheduledActionRequest& request) {
  if (request.Schedule) action.Schedule = *request.Schedule;
  if (request.Timezone) action.Timezone = request.Timezone;
  if (request.ScalableTargetAction) action.ScalableTargetAction = request.ScalableTargetAction;
  action.StartTime = request.StartTime;
  action.EndTime = request.EndTime;
}

PutScheduledActionResponse put_scheduled_action(Call& call, const PutScheduledActionRequest& request) {
  check_resource(request.ServiceNamespace, request.ScalableDimension, request.ResourceId);
  check_name("ScheduledActionName", request.ScheduledActionName);
  const auto target = find_target(call, request.ResourceId);
  if (!target) throw target_not_found("registered", request.ResourceId);
  auto known = find_schedule(call.tx, target->number, request.ScheduledActionName);
  StoredSchedule schedule;
  if (known) schedule = std::move(*known);
  if (schedule.number == 0) {
    if (!request.Schedule) throw validation_error("Schedule must be set");
    const auto count =
        call.tx.query("SELECT count(*) FROM scalable_target_schedules WHERE target = $1", target->number).integer();
    if (count >= kMaxSchedules) throw limit_exceeded("scheduled actions");
    schedule.target = target->number;
    schedule.body.ScheduledActionName = request.ScheduledActionName;
    schedule.body.ScheduledActionARN = schedule_arn(*target, request.ScheduledActionName);
    schedule.body.ServiceNamespace = kNamespace;
    schedule.body.ResourceId = target->resource;
    schedule.body.ScalableDimension = kDimension;
    schedule.body.CreationTime = call.now;
  }
  change_schedule(schedule.body, request);
  check_schedule(schedule.body);
  schedule.due_at = next_due_time(schedule.body, call.now);
  save_schedule(call.tx, schedule);
  call.wake(kSchedulesTopic);
  return {};
}

bool is_wanted_schedule(const DescribeScheduledActionsRequest& request, const ScheduledAction& action) {
  if (request.ResourceId && *request.ResourceId != action.ResourceId) return false;
  if (!request.ScheduledActionNames || request.ScheduledActionNames->empty()) return true;
  return std::ranges::find(*request.ScheduledActionNames, action.ScheduledActionName) !=
         request.ScheduledActionNames->end();
}

DescribeScheduledActionsResponse describe_scheduled_actions(Call& call,
                                                            const DescribeScheduledActionsRequest& request) {
  if (!lists_services(request.ServiceNamespace, request.ScalableDimension)) {
    return {.ScheduledActions = std::vector<ScheduledAction>()};
  }
  const Page page = read_page(request.MaxResults, request.NextToken);
  const auto most = static_cast<std::size_t>(page.size) + 1;
  std::vector<std::pair<std::int64_t, ScheduledAction>> found;
  call.tx
      .query("SELECT action.id, action.body FROM scalable_target_schedules AS action "
             "JOIN scalable_targets AS target ON target.id = action.target "
             "WHERE target.account = $1 AND target.region = $2 AND action.id > $3 ORDER BY action.id",
             call.caller.account, call.caller.region, row_after(page))
      .each([&](const store::Row& row) {
        if (found.size() >= most) return;
        auto action = from_json<ScheduledAction>(row.text(1));
        if (is_wanted_schedule(request, action)) found.emplace_back(row.integer(0), std::move(action));
      });
  std::vector<std::string> keys;
  for (const auto& [number, action] : found) keys.push_back(std::to_string(number));
  DescribeScheduledActionsResponse response;
  response.NextToken = cut_page(keys, page);
  found.resize(keys.size());
  response.ScheduledActions.emplace();
  for (auto& [number, action] : found) response.ScheduledActions->push_back(std::move(action));
  return response;
}

DeleteScheduledActionResponse delete_scheduled_action(Call& call, const DeleteScheduledActionRequest& request) {
  check_resource(request.ServiceNamespace, request.ScalableDimension, request.ResourceId);
  check_name("ScheduledActionName", request.ScheduledActionName);
  const auto target = find_target(call, request.ResourceId);
  const auto schedule = target ? find_schedule(call.tx, target->number, request.ScheduledActionName) : std::nullopt;
  if (!schedule) {
    throw wire::ApiError("ObjectNotFoundException",
                         "No scheduled action found for service namespace: ecs, resource ID: " + request.ResourceId +
                             ", scalable dimension: " + kDimension +
                             ", scheduled action name: " + request.ScheduledActionName);
  }
  call.tx.exec("DELETE FROM scalable_target_schedules WHERE id = $1", schedule->number);
  return {};
}

}  // namespace

std::vector<Operation> schedule_operations() {
  return {
      operation<&put_scheduled_action>("PutScheduledAction", Access::Write),
      operation<&describe_scheduled_actions>("DescribeScheduledActions", Access::Read),
      operation<&delete_scheduled_action>("DeleteScheduledAction", Access::Write),
  };
}

}  // namespace services::application_autoscaling
