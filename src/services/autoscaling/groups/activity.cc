// SPDX-License-Identifier: Apache-2.0
#include "services/autoscaling/groups/activity.h"

#include "base/random.h"
#include "services/autoscaling/groups/activity_rows.h"
#include "services/autoscaling/groups/group_events.h"
#include "wire/timestamp.h"

namespace services::autoscaling {
namespace {

constexpr std::size_t kMaxCause = 1023, kMaxMessage = 255;
constexpr base::Duration kActivityRetention = std::chrono::weeks(6);

}  // namespace

std::string cause_sentence(base::Time now, const std::string& text) {
  return "At " + wire::to_iso8601(std::chrono::floor<std::chrono::seconds>(now)) + " " + text + ".";
}

std::string join_causes(const std::string& first, const std::string& second) {
  return first.empty() || second.empty() ? first + second : first + "  " + second;
}

void insert_activity(Call& call, const Group& group, Activity& activity) {
  if (activity.id.empty()) activity.id = base::random_uuid();
  if (activity.cause.size() > kMaxCause) activity.cause.resize(kMaxCause);
  if (activity.status_message.size() > kMaxMessage) activity.status_message.resize(kMaxMessage);
  activity.group = group.number;
  activity.started_at = call.now;
  call.tx.exec("DELETE FROM autoscaling_activities WHERE ended_at IS NOT NULL AND ended_at < $1",
               call.now - kActivityRetention);
  activity.number =
      call.tx
          .query(
              "INSERT INTO autoscaling_activities (id, grp, account, region, group_name, group_arn, kind, instance, "
              "description, cause, status, status_message, progress, details, started_at, ended_at) "
              "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) RETURNING number",
              activity.id, activity.group, group.account, group.region, group.name, group.arn(),
              static_cast<std::int64_t>(activity.kind), activity.instance, activity.description, activity.cause,
              activity.status, activity.status_message, activity.progress, activity.details_json, activity.started_at,
              activity.ended_at)
          .integer();
}

void update_activity(Call& call, const Activity& activity) {
  call.tx.exec(
      "UPDATE autoscaling_activities SET instance = $2, description = $3, status = $4, status_message = $5, "
      "progress = $6, details = $7, ended_at = $8 WHERE number = $1",
      activity.number, activity.instance, activity.description, activity.status, activity.status_message,
      activity.progress, activity.details_json, activity.ended_at);
}

void end_activity(Call& call, const Group& group, Activity& activity, std::string_view status,
                  const std::string& message) {
  activity.status = status;
  if (!message.empty()) activity.status_message = message.substr(0, kMaxMessage);
  activity.progress = 100;
  activity.ended_at = std::chrono::floor<std::chrono::seconds>(call.now);
  update_activity(call, activity);
  announce_end(call, group, activity);
  call.wake(std::string(kGroupChangesTopic));
}

std::optional<Activity> find_running_activity(store::Tx& tx, std::int64_t group, const std::string& instance) {
  static const std::string sql = std::string("SELECT ") + kActivityColumns +
                                 " FROM autoscaling_activities WHERE grp = $1 AND instance = $2 AND ended_at IS NULL "
                                 "ORDER BY number DESC LIMIT 1";
  return tx.query(sql, group, instance).one(read_activity);
}

std::vector<Activity> list_running_activities(store::Tx& tx, std::int64_t group) {
  static const std::string sql =
      std::string("SELECT ") + kActivityColumns +
      " FROM autoscaling_activities WHERE grp = $1 AND ended_at IS NULL ORDER BY number DESC";
  return tx.query(sql, group).all(read_activity);
}

Activity read_activity(const store::Row& row) {
  Activity activity;
  activity.number = row.integer(0);
  activity.id = row.str(1);
  activity.group = row.integer(2);
  activity.kind = static_cast<ActivityKind>(row.integer(3));
  activity.instance = row.str(4);
  activity.description = row.str(5);
  activity.cause = row.str(6);
  activity.status = row.str(7);
  activity.status_message = row.str(8);
  activity.progress = static_cast<std::int32_t>(row.integer(9));
  activity.details_json = row.str(10);
  activity.started_at = row.time(11);
  activity.ended_at = row.maybe_time(12);
  return activity;
}

shapes::autoscaling::Activity show_activity(const Group& group, const Activity& activity) {
  shapes::autoscaling::Activity shown;
  shown.ActivityId = activity.id;
  shown.AutoScalingGroupName = group.name;
  shown.AutoScalingGroupARN = group.arn();
  shown.Description = activity.description;
  shown.Cause = activity.cause;
  shown.StartTime = activity.started_at;
  shown.EndTime = activity.ended_at;
  shown.StatusCode = activity.status;
  if (!activity.status_message.empty()) shown.StatusMessage = activity.status_message;
  shown.Progress = activity.progress;
  shown.Details = activity.details_json;
  return shown;
}

}  // namespace services::autoscaling
