// SPDX-License-Identifier: Apache-2.0
// DescribeScalingActivities.
#include <algorithm>
#include <charconv>

#include "services/autoscaling/errors.h"
#include "services/autoscaling/groups/activity.h"
#include "services/autoscaling/groups/activity_rows.h"
#include "services/autoscaling/groups/operations.h"
#include "services/page.h"
#include "shapes/autoscaling/activity.h"

namespace services::autoscaling {
namespace {

using shapes::autoscaling::ActivitiesType;
using shapes::autoscaling::DescribeScalingActivitiesType;

constexpr std::int32_t kMaxActivities = 100;

// In the order of the list: those in progress first, then the newest first.
struct ActivityPlace {
  bool ended = false;
  std::int64_t number = 0;
};

std::string to_key(const ActivityPlace& place) { return (place.ended ? "e" : "r") + std::to_string(place.number); }

ActivityPlace parse_key(const std::string& key) {
  if (key.empty()) return {.ended = false, .number = INT64_MAX};
  ActivityPlace place{.ended = key[0] == 'e'};
  const auto [end, error] = std::from_chars(key.data() + 1, key.data() + key.size(), place.number);
  if ((key[0] != 'e' && key[0] != 'r') || error != std::errc() || end != key.data() + key.size()) {
    throw wire::ApiError("InvalidNextToken", "The token is invalid.");
  }
  return place;
}

struct FoundActivity {
  Activity activity;
  std::string group_name, group_arn;
  bool is_deleted = false;  // the group
};

FoundActivity read_found(const store::Row& row) {
  return {read_activity(row), row.str(13), row.str(14), row.boolean(15)};
}

struct ActivityFilter {
  const Caller& caller;
  std::string group_name;  // "": all
  bool deleted = false;    // groups, too
  std::int64_t most = 0;
};

std::vector<FoundActivity> list_activities(store::Tx& tx, const ActivityFilter& filter, bool ended,
                                           std::int64_t before) {
  static const std::string columns =
      std::string("SELECT ") + kActivityColumns +
      ", group_name, group_arn, CASE WHEN EXISTS (SELECT 1 FROM autoscaling_groups g WHERE g.number = grp) THEN 0 "
      "ELSE 1 END FROM autoscaling_activities WHERE account = $1 AND region = $2 AND number < $3 "
      "AND ($4 = '' OR group_name = $4) AND ($5 = 1 OR EXISTS (SELECT 1 FROM autoscaling_groups g WHERE g.number = "
      "grp))";
  static const std::string running = columns + " AND ended_at IS NULL ORDER BY number DESC LIMIT $6";
  static const std::string done = columns + " AND ended_at IS NOT NULL ORDER BY number DESC LIMIT $6";
  return tx
      .query(ended ? done : running, filter.caller.account, filter.caller.region, before, filter.group_name,
             filter.deleted, filter.most)
      .all(read_found);
}

shapes::autoscaling::Activity show_found(const FoundActivity& found) {
  shapes::autoscaling::Activity shown = show_activity(Group(), found.activity);
  shown.AutoScalingGroupName = found.group_name;
  shown.AutoScalingGroupARN = found.group_arn;
  if (found.is_deleted) shown.AutoScalingGroupState = "Deleted";
  return shown;
}

void keep_ids(std::vector<FoundActivity>& all, const std::vector<std::string>& ids) {
  std::erase_if(
      all, [&](const FoundActivity& one) { return std::find(ids.begin(), ids.end(), one.activity.id) == ids.end(); });
}

ActivitiesType describe_scaling_activities(Call& call, const DescribeScalingActivitiesType& request) {
  if (request.Filters && !request.Filters->empty()) throw unsupported("Filters of DescribeScalingActivities");
  const Page page = read_records_page(request.MaxRecords, request.NextToken, kMaxActivities, kMaxActivities);
  const ActivityPlace after = parse_key(page.after);
  ActivityFilter filter{call.caller, request.AutoScalingGroupName.value_or(""),
                        request.IncludeDeletedGroups.value_or(false), page.size + 1};
  check_text("AutoScalingGroupName", filter.group_name);
  if (!filter.group_name.empty() && !filter.deleted) find_group(call, filter.group_name);
  const bool by_id = request.ActivityIds && !request.ActivityIds->empty();
  if (by_id) filter.most = INT64_MAX;
  std::vector<FoundActivity> found;
  if (!after.ended) found = list_activities(call.tx, filter, false, after.number);
  if (found.size() <= static_cast<std::size_t>(page.size)) {
    for (FoundActivity& one : list_activities(call.tx, filter, true, after.ended ? after.number : INT64_MAX)) {
      found.push_back(std::move(one));
    }
  }
  if (by_id) keep_ids(found, *request.ActivityIds);
  ActivitiesType answer;
  if (found.size() > static_cast<std::size_t>(page.size)) {
    std::vector<std::string> keys;
    for (const FoundActivity& one : found)
      keys.push_back(to_key({one.activity.ended_at.has_value(), one.activity.number}));
    answer.NextToken = cut_page(keys, page);
    found.resize(keys.size());
  }
  for (const FoundActivity& one : found) answer.Activities.push_back(show_found(one));
  return answer;
}

}  // namespace

std::vector<Operation> activity_operations() {
  return {operation<&describe_scaling_activities>("DescribeScalingActivities", Access::Read)};
}

}  // namespace services::autoscaling
