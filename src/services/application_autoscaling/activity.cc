// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/activity.h"

#include <limits>

#include "base/random.h"
#include "services/application_autoscaling/errors.h"
#include "services/application_autoscaling/operations.h"
#include "services/application_autoscaling/service_capacity.h"
#include "services/shape_json.h"
#include "state/service.h"

namespace services::application_autoscaling {
namespace {

using namespace shapes::application_autoscaling;

// Amazon's.
constexpr base::Duration kActivitiesKept = std::chrono::hours(24 * 7 * 6);
// A target has one at most: a later change ends the one before it.
constexpr std::int64_t kMaxCompletedPerTurn = 10000;

struct ActivityRow {
  std::int64_t number = 0;
  std::string account, region, resource;
  int desired = 0;
  ScalingActivity body = {};
};

ActivityRow read_activity(const store::Row& row) {
  return {row.integer(0), row.str(1), row.str(2), row.str(3), static_cast<int>(row.integer(4)),
          from_json<ScalingActivity>(row.text(5))};
}

ScalingActivity new_activity(const Call& call, const StoredTarget& target, std::string description, std::string cause) {
  ScalingActivity activity;
  activity.ActivityId = base::random_uuid();
  activity.ServiceNamespace = kNamespace;
  activity.ResourceId = target.resource;
  activity.ScalableDimension = kDimension;
  activity.Description = std::move(description);
  activity.Cause = std::move(cause);
  activity.StartTime = call.now;
  return activity;
}

struct ActivityMarks {
  bool running = false, scaled = true;
  int desired = 0;
};

std::int64_t insert_activity(Call& call, const StoredTarget& target, const ScalingActivity& activity,
                             const ActivityMarks& marks) {
  call.tx.exec("DELETE FROM scalable_target_activities WHERE account = $1 AND region = $2 AND resource = $3 "
               "AND started_at < $4",
               target.account, target.region, target.resource, call.now - kActivitiesKept);
  return call.tx.insert(
      "INSERT INTO scalable_target_activities (account, region, resource, started_at, running, scaled, desired, body) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      target.account, target.region, target.resource, call.now, marks.running, marks.scaled, marks.desired,
      to_json(activity));
}

std::string set_text(int desired) { return "Successfully set desired count to " + std::to_string(desired) + "."; }

std::vector<ActivityRow> running_activities(store::Tx& tx) {
  return tx
      .query("SELECT id, account, region, resource, desired, body FROM scalable_target_activities WHERE running = 1 "
             "ORDER BY id LIMIT $1",
             kMaxCompletedPerTurn)
      .all(read_activity);
}

// Completes the activity in `row` if its service is as it should be, or never will. False: it still waits.
bool complete(store::Tx& tx, base::Time now, ActivityRow& row) {
  const auto capacity = read_capacity(tx, row.account, row.region, row.resource);
  ScalingActivity& activity = row.body;
  if (!capacity) {
    activity.StatusCode = "Unfulfilled";
    activity.StatusMessage = set_text(row.desired) + " The service is no longer active.";
  } else if (capacity->desired != row.desired) {
    activity.StatusCode = "Overridden";
    activity.StatusMessage =
        set_text(row.desired) + " Found it was later changed to " + std::to_string(capacity->desired) + ".";
  } else if (capacity->running == row.desired) {
    activity.StatusCode = "Successful";
    activity.StatusMessage = set_text(row.desired) + " Change successfully fulfilled by ecs.";
  } else {
    return false;
  }
  activity.EndTime = now;
  return true;
}

void write_completed(Call& call, const ActivityRow& row) {
  const auto changed = call.tx.exec(
      "UPDATE scalable_target_activities SET running = 0, body = $2 WHERE id = $1 AND running = 1", row.number,
      to_json(row.body));
  if (changed == 0) return;
  // A cooldown starts when its activity is completed.
  call.tx.exec("UPDATE scalable_targets SET cooling_since = $2 WHERE cooling_activity = $1", row.number, call.now);
}

Decision look_at_activities(Call& call) {
  bool any = false;
  for (ActivityRow& row : running_activities(call.tx)) any = complete(call.tx, call.now, row) || any;
  if (!any) return {};
  return {.apply = [](Call& write) {
            for (ActivityRow& row : running_activities(write.tx)) {
              if (complete(write.tx, write.now, row)) write_completed(write, row);
            }
          }};
}

DescribeScalingActivitiesResponse describe_scaling_activities(Call& call,
                                                              const DescribeScalingActivitiesRequest& request) {
  if (!lists_services(request.ServiceNamespace, request.ScalableDimension)) {
    return {.ScalingActivities = std::vector<ScalingActivity>()};
  }
  if (request.ResourceId) check_name("ResourceId", *request.ResourceId);
  const Page page = read_page(request.MaxResults, request.NextToken);
  const std::int64_t before = page.after.empty() ? std::numeric_limits<std::int64_t>::max() : row_after(page);
  const int least_scaled = request.IncludeNotScaledActivities.value_or(false) ? 0 : 1;
  const std::string resource = request.ResourceId.value_or("");
  auto rows = call.tx
                  .query("SELECT id, account, region, resource, desired, body FROM scalable_target_activities "
                         "WHERE account = $1 AND region = $2 AND ($3 = '' OR resource = $3) AND scaled >= $4 "
                         "AND id < $5 ORDER BY id DESC LIMIT $6",
                         call.caller.account, call.caller.region, resource, least_scaled, before, page.size + 1)
                  .all(read_activity);
  std::vector<std::string> keys;
  for (const ActivityRow& row : rows) keys.push_back(std::to_string(row.number));
  DescribeScalingActivitiesResponse response;
  response.NextToken = cut_page(keys, page);
  rows.resize(keys.size());
  response.ScalingActivities.emplace();
  for (ActivityRow& row : rows) response.ScalingActivities->push_back(std::move(row.body));
  return response;
}

}  // namespace

std::int64_t scale_service(Call& call, const StoredTarget& target, int desired, const std::string& cause) {
  ScalingActivity activity =
      new_activity(call, target, "Setting desired count to " + std::to_string(desired) + ".", cause);
  try {
    set_desired_count(call, target, desired);
  } catch (const wire::ApiError& error) {
    activity.StatusCode = "Failed";
    activity.StatusMessage = "Failed to set desired count to " + std::to_string(desired) + ". Reason: " + error.message();
    activity.EndTime = call.now;
    insert_activity(call, target, activity, {.desired = desired});
    return 0;
  }
  activity.StatusCode = "InProgress";
  activity.StatusMessage = set_text(desired) + " Waiting for change to be fulfilled by ecs.";
  // The change wakes this topic as well; this loop must not depend on it.
  call.wake(std::string(state::kServicesTopic));
  return insert_activity(call, target, activity, {.running = true, .desired = desired});
}

void enforce_bounds(Call& call, const StoredTarget& target) {
  const auto capacity = read_capacity(call.tx, target.account, target.region, target.resource);
  if (!capacity) return;
  if (capacity->desired < target.bounds.min) {
    scale_service(call, target, target.bounds.min,
                  "minimum capacity was set to " + std::to_string(target.bounds.min));
  } else if (capacity->desired > target.bounds.max) {
    scale_service(call, target, target.bounds.max,
                  "maximum capacity was set to " + std::to_string(target.bounds.max));
  }
}

void record_not_scaled(Call& call, const StoredTarget& target, const std::string& cause,
                       const NotScaledReason& reason) {
  ScalingActivity activity = new_activity(call, target, "Attempting to scale due to alarm triggered", cause);
  activity.StatusCode = reason.Code == "AlreadyAtDesiredCapacity" ? "Successful" : "Failed";
  activity.EndTime = call.now;
  activity.NotScaledReasons = {{reason}};
  const auto last = call.tx
                        .query("SELECT id, account, region, resource, desired, body FROM scalable_target_activities "
                               "WHERE account = $1 AND region = $2 AND resource = $3 ORDER BY id DESC LIMIT 1",
                               target.account, target.region, target.resource)
                        .one(read_activity);
  const bool same = last && last->body.NotScaledReasons == activity.NotScaledReasons && last->body.Cause == cause;
  if (!same) insert_activity(call, target, activity, {.scaled = false});
}

void record_bounds(Call& call, const StoredTarget& target, const BoundsChange& change) {
  std::string what;
  if (change.min) what = "min capacity to " + std::to_string(*change.min);
  if (change.max) what += (what.empty() ? "" : " and ") + ("max capacity to " + std::to_string(*change.max));
  ScalingActivity activity =
      new_activity(call, target, "Setting " + what, "scheduled action name " + change.action + " was triggered");
  activity.StatusCode = change.valid ? "Successful" : "Failed";
  activity.StatusMessage = change.valid ? "Successfully set " + what
                                        : "Failed to set " + what +
                                              ". Reason: Maximum capacity cannot be less than minimum capacity";
  insert_activity(call, target, activity, {});
}

std::vector<Operation> activity_operations() {
  return {operation<&describe_scaling_activities>("DescribeScalingActivities", Access::Read)};
}

Loop activity_loop() {
  return {.name = "application-autoscaling-activities",
          .topic = std::string(state::kServicesTopic),
          .look = &look_at_activities};
}

}  // namespace services::application_autoscaling
