// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/policies/policies.h"

#include "services/autoscaling/policies/notifications.h"
#include "services/autoscaling/policies/policy_execution.h"
#include "services/autoscaling/policies/refresh.h"
#include "services/autoscaling/policies/schedule_row.h"

namespace services::autoscaling {
namespace {

// `grp` is the number of a row of groups. Names of groups and owners are copied, for lists over all groups.
constexpr char kPolicyTables[] = R"sql(
CREATE TABLE autoscaling_policies (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  group_name TEXT NOT NULL,
  name TEXT NOT NULL,
  uuid TEXT NOT NULL UNIQUE,
  terms TEXT NOT NULL,                 -- PutScalingPolicyType
  alarm_high TEXT NOT NULL,
  alarm_low TEXT NOT NULL,
  wanted INTEGER,
  wanted_at INTEGER,
  wanted_alarm TEXT NOT NULL,
  wanted_state TEXT NOT NULL,
  UNIQUE (grp, name)
);
CREATE INDEX autoscaling_policies_by_owner ON autoscaling_policies (account, region, id);

CREATE TABLE autoscaling_schedules (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  group_name TEXT NOT NULL,
  name TEXT NOT NULL,
  uuid TEXT NOT NULL,
  terms TEXT NOT NULL,                 -- ScheduledUpdateGroupActionRequest
  next_at INTEGER NOT NULL,
  UNIQUE (grp, name)
);
CREATE INDEX autoscaling_schedules_by_owner ON autoscaling_schedules (account, region, id);
CREATE INDEX autoscaling_schedules_due ON autoscaling_schedules (next_at, id);

CREATE TABLE autoscaling_notifications (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  account TEXT NOT NULL,
  region TEXT NOT NULL,
  group_name TEXT NOT NULL,
  topic TEXT NOT NULL,
  type TEXT NOT NULL,
  UNIQUE (grp, topic, type)
);
CREATE INDEX autoscaling_notifications_by_owner ON autoscaling_notifications (account, region, id);

CREATE TABLE autoscaling_refreshes (
  id INTEGER PRIMARY KEY,
  grp INTEGER NOT NULL,
  uuid TEXT NOT NULL,
  status TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  record TEXT NOT NULL                 -- RefreshRecord
);
CREATE INDEX autoscaling_refreshes_of_group ON autoscaling_refreshes (grp, id);
CREATE INDEX autoscaling_refreshes_active ON autoscaling_refreshes (id) WHERE ended_at IS NULL;
)sql";

void delete_all_of(Call& call, const Group& group) {
  for (PolicyRow& policy : list_policies(call.tx, group.number)) delete_policy_with_alarms(call, std::move(policy));
  for (const ScheduleRow& schedule : list_schedules(call.tx, group.number)) {
    delete_schedule_row(call.tx, schedule.number);
  }
  delete_notifications(call.tx, group.number);
  delete_refreshes(call.tx, group.number);
}

}  // namespace

std::vector<Operation> policies_operations() {
  std::vector<Operation> all;
  for (auto rows : {policy_operations(), schedule_operations(), notification_operations(), refresh_operations()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

std::vector<Operation> policies_internal_operations() {
  return {operation<&execute_alarm_action>("ExecuteAlarmAction", Access::Write)};
}

std::vector<Loop> policies_loops() { return {schedule_loop(), refresh_loop()}; }

std::vector<std::string> policies_migration_steps() { return {kPolicyTables}; }

void observe_groups(GroupObservers& observers) {
  observers.notifications.push_back(&notify);
  observers.deletions.push_back(&delete_all_of);
}

}  // namespace services::autoscaling
