// SPDX-License-Identifier: Apache-2.0
// PutScheduledUpdateGroupAction and the other operations on scheduled actions.
#include <algorithm>

#include "autoscaler/cron.h"
#include "base/random.h"
#include "base/time_zone.h"
#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/group.h"
#include "services/autoscaling/policies/policies.h"
#include "services/autoscaling/policies/policy_errors.h"
#include "services/autoscaling/policies/schedule_row.h"

namespace services::autoscaling {
using namespace shapes::autoscaling;
namespace {

constexpr std::size_t kMaxSchedules = 125;  // Amazon's, of a group
constexpr std::size_t kMaxBatch = 50;       // Amazon's

void check_sizes(const ScheduledUpdateGroupActionRequest& terms) {
  if (!terms.MinSize && !terms.MaxSize && !terms.DesiredCapacity) {
    throw invalid_request("At least one of max size, min size, or desired capacity must be specified");
  }
  if (terms.MinSize.value_or(0) < 0) throw invalid_request("Min size must be non-negative");
  if (terms.MaxSize.value_or(0) < 0) throw invalid_request("Max size must be non-negative");
  if (terms.DesiredCapacity.value_or(0) < 0) throw invalid_request("Desired capacity must be non-negative");
  if (terms.MinSize && terms.MaxSize && *terms.MinSize > *terms.MaxSize) {
    throw invalid_request("Min size must be less than or equal to max size");
  }
  if (!terms.DesiredCapacity) return;
  if (terms.MaxSize && *terms.DesiredCapacity > *terms.MaxSize) {
    throw invalid_request("Desired capacity must be less than or equal to max size");
  }
  if (terms.MinSize && *terms.DesiredCapacity < *terms.MinSize) {
    throw invalid_request("Desired capacity must be greater than or equal to min size");
  }
}

void check_times(const ScheduledUpdateGroupActionRequest& terms, base::Time now) {
  if (!terms.Recurrence && !terms.StartTime) {
    throw invalid_request("Scheduled start time must be specified for non-recurrent future group action");
  }
  if (terms.StartTime && *terms.StartTime < now) throw invalid_request("Given start time is in the past");
  if (terms.EndTime && *terms.EndTime < now) throw invalid_request("Given end time is in the past");
  if (terms.StartTime && terms.EndTime && *terms.EndTime <= *terms.StartTime) {
    throw invalid_request("Given end time must be after start time");
  }
  if (terms.Recurrence && !autoscaler::parse_group_cron(*terms.Recurrence)) {
    throw invalid_request("Given recurrence string: " + *terms.Recurrence + " is invalid");
  }
  if (terms.TimeZone && !base::TimeZone::load(*terms.TimeZone)) {
    throw invalid_request("Given time zone: " + *terms.TimeZone + " is invalid");
  }
}

// Amazon rejects two actions of a group that start at the same time.
void check_start_is_free(Call& call, const Group& group, const ScheduledUpdateGroupActionRequest& terms) {
  if (!terms.StartTime) return;
  for (const ScheduleRow& other : list_schedules(call.tx, group.number)) {
    if (other.name != terms.ScheduledActionName && other.terms.StartTime == terms.StartTime) {
      throw wire::ApiError("AlreadyExistsFault",
                           "The scheduled action " + other.name + " already has the specified start time");
    }
  }
}

ScheduleRow new_schedule(Call& call, const Group& group, const std::string& name) {
  if (list_schedules(call.tx, group.number).size() >= kMaxSchedules) {
    throw limit_reached("The Auto Scaling group " + group.name + " has 125 scheduled actions already.");
  }
  ScheduleRow schedule;
  schedule.group = group.number;
  schedule.account = group.account;
  schedule.region = group.region;
  schedule.group_name = group.name;
  schedule.name = name;
  schedule.uuid = base::random_uuid();
  return schedule;
}

void put_schedule(Call& call, const Group& group, const ScheduledUpdateGroupActionRequest& terms) {
  check_text("ScheduledActionName", terms.ScheduledActionName);
  check_sizes(terms);
  check_times(terms, call.now);
  check_start_is_free(call, group, terms);
  const auto first = terms.StartTime ? terms.StartTime : next_run(terms, call.now);
  if (!first) throw invalid_request("Given recurrence string: " + *terms.Recurrence + " has no future run");
  const auto known = load_schedule(call.tx, group.number, terms.ScheduledActionName);
  ScheduleRow schedule = known ? *known : new_schedule(call, group, terms.ScheduledActionName);
  schedule.terms = terms;
  schedule.next_at = *first;
  save_schedule(call.tx, schedule);
  call.wake(kSchedulesTopic);
}

void put_scheduled_action(Call& call, const PutScheduledUpdateGroupActionType& request) {
  const Group group = find_group(call, request.AutoScalingGroupName);
  if (request.Time && request.StartTime && *request.Time != *request.StartTime) {
    throw invalid_request("Time and StartTime must be equal where both are specified");
  }
  ScheduledUpdateGroupActionRequest terms{.ScheduledActionName = request.ScheduledActionName};
  terms.StartTime = request.StartTime ? request.StartTime : request.Time;
  terms.EndTime = request.EndTime;
  terms.Recurrence = request.Recurrence;
  terms.MinSize = request.MinSize;
  terms.MaxSize = request.MaxSize;
  terms.DesiredCapacity = request.DesiredCapacity;
  terms.TimeZone = request.TimeZone;
  put_schedule(call, group, terms);
}

FailedScheduledUpdateGroupActionRequest failure(const std::string& name, const wire::ApiError& error) {
  FailedScheduledUpdateGroupActionRequest failed{.ScheduledActionName = name};
  failed.ErrorCode = error.code() == "AlreadyExistsFault"   ? "AlreadyExists"
                     : error.code() == "LimitExceededFault" ? "LimitExceeded"
                                                            : error.code();
  failed.ErrorMessage = error.message();
  return failed;
}

// Every check of put_schedule() comes before its first write, so a failed action leaves nothing behind.
BatchPutScheduledUpdateGroupActionAnswer batch_put(Call& call, const BatchPutScheduledUpdateGroupActionType& request) {
  if (request.ScheduledUpdateGroupActions.size() > kMaxBatch) {
    throw invalid_request("The number of scheduled actions must not exceed 50");
  }
  const Group group = find_group(call, request.AutoScalingGroupName);
  BatchPutScheduledUpdateGroupActionAnswer answer;
  answer.FailedScheduledUpdateGroupActions.emplace();
  for (const auto& terms : request.ScheduledUpdateGroupActions) {
    try {
      put_schedule(call, group, terms);
    } catch (const wire::ApiError& error) {
      answer.FailedScheduledUpdateGroupActions->push_back(failure(terms.ScheduledActionName, error));
    }
  }
  return answer;
}

// Amazon shows the next run of a recurring action as its start time.
ScheduledUpdateGroupAction show_schedule(const ScheduleRow& row) {
  ScheduledUpdateGroupAction shown;
  shown.AutoScalingGroupName = row.group_name;
  shown.ScheduledActionName = row.name;
  shown.ScheduledActionARN = row.arn();
  shown.Time = row.next_at;
  shown.StartTime = row.next_at;
  shown.EndTime = row.terms.EndTime;
  shown.Recurrence = row.terms.Recurrence;
  shown.MinSize = row.terms.MinSize;
  shown.MaxSize = row.terms.MaxSize;
  shown.DesiredCapacity = row.terms.DesiredCapacity;
  shown.TimeZone = row.terms.TimeZone;
  return shown;
}

bool is_requested(const DescribeScheduledActionsType& request, const ScheduleRow& row) {
  if (request.ScheduledActionNames && !request.ScheduledActionNames->empty()) {
    const auto& names = *request.ScheduledActionNames;
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& name) { return name == row.name || name == row.arn(); });
  }
  return !(request.StartTime && row.next_at < *request.StartTime) &&
         !(request.EndTime && row.next_at > *request.EndTime);
}

ScheduledActionsType describe_scheduled_actions(Call& call, const DescribeScheduledActionsType& request) {
  const NumberPage page = read_number_page(request.MaxRecords, request.NextToken);
  if (request.ScheduledActionNames && request.ScheduledActionNames->size() > kMaxBatch) {
    throw invalid_request("The number of scheduled action names must not exceed 50");
  }
  const std::int64_t group = request.AutoScalingGroupName ? find_group(call, *request.AutoScalingGroupName).number : 0;
  std::vector<ScheduleRow> rows;
  each_schedule(call, group, page.after, [&](ScheduleRow row) {
    const bool full = rows.size() > static_cast<std::size_t>(page.size);
    if (!full && is_requested(request, row)) rows.push_back(std::move(row));
  });
  ScheduledActionsType answer;
  answer.NextToken = cut_number_page(rows, page);
  answer.ScheduledUpdateGroupActions.emplace();
  for (const ScheduleRow& row : rows) answer.ScheduledUpdateGroupActions->push_back(show_schedule(row));
  return answer;
}

void delete_schedule(Call& call, const Group& group, const std::string& name) {
  check_text("ScheduledActionName", name);
  const auto schedule = load_schedule(call.tx, group.number, name);
  if (!schedule) throw invalid_request("Scheduled action name not found");
  delete_schedule_row(call.tx, schedule->number);
  call.wake(kSchedulesTopic);
}

void delete_scheduled_action(Call& call, const DeleteScheduledActionType& request) {
  delete_schedule(call, find_group(call, request.AutoScalingGroupName), request.ScheduledActionName);
}

BatchDeleteScheduledActionAnswer batch_delete(Call& call, const BatchDeleteScheduledActionType& request) {
  if (request.ScheduledActionNames.size() > kMaxBatch) {
    throw invalid_request("The number of scheduled action names must not exceed 50");
  }
  const Group group = find_group(call, request.AutoScalingGroupName);
  BatchDeleteScheduledActionAnswer answer;
  answer.FailedScheduledActions.emplace();
  for (const std::string& name : request.ScheduledActionNames) {
    try {
      delete_schedule(call, group, name);
    } catch (const wire::ApiError& error) {
      answer.FailedScheduledActions->push_back(failure(name, error));
    }
  }
  return answer;
}

}  // namespace

std::vector<Operation> schedule_operations() {
  return {
      operation<&batch_delete>("BatchDeleteScheduledAction", Access::Write),
      operation<&batch_put>("BatchPutScheduledUpdateGroupAction", Access::Write),
      operation<&delete_scheduled_action>("DeleteScheduledAction", Access::Write),
      operation<&describe_scheduled_actions>("DescribeScheduledActions", Access::Read),
      operation<&put_scheduled_action>("PutScheduledUpdateGroupAction", Access::Write),
  };
}

}  // namespace services::autoscaling
