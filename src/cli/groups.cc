// SPDX-License-Identifier: Apache-2.0
// stoker groups
#include <ostream>
#include <set>

#include "cli/group_rows.h"
#include "cli/json.h"
#include "cli/names.h"
#include "cli/scaling_client.h"
#include "cli/table.h"

namespace cli {
namespace {

using shapes::autoscaling::Activity;
using shapes::autoscaling::AutoScalingGroup;
using shapes::autoscaling::Instance;

struct PrintedGroups {
  std::vector<AutoScalingGroup> groups;
};
BOOST_DESCRIBE_STRUCT(PrintedGroups, (), (groups))

// The types of its instances, else those that it may launch.
std::string instance_types(const AutoScalingGroup& group) {
  std::set<std::string> types;
  for (const Instance& instance : group.Instances.value_or(std::vector<Instance>())) {
    if (instance.InstanceType) types.insert(*instance.InstanceType);
  }
  const bool may_launch_others = types.empty() && group.MixedInstancesPolicy &&
                                 group.MixedInstancesPolicy->LaunchTemplate &&
                                 group.MixedInstancesPolicy->LaunchTemplate->Overrides;
  if (may_launch_others) {
    for (const auto& one : *group.MixedInstancesPolicy->LaunchTemplate->Overrides) {
      if (one.InstanceType) types.insert(*one.InstanceType);
    }
  }
  if (types.empty()) return "-";
  return *types.begin() + (types.size() > 1 ? " +" + std::to_string(types.size() - 1) : "");
}

}  // namespace

GroupCounts count_instances(const AutoScalingGroup& group) {
  GroupCounts counts;
  for (const Instance& instance : group.Instances.value_or(std::vector<Instance>())) {
    const std::string& state = instance.LifecycleState;
    if (state == "InService") ++counts.in_service;
    if (state.starts_with("Pending")) ++counts.pending;
    if (state.starts_with("Terminating")) ++counts.terminating;
  }
  return counts;
}

std::string brief_activity(const std::optional<Activity>& activity, base::Time now) {
  if (!activity) return "-";
  const std::string description = activity->Description.value_or("");
  std::string verb = "change";
  if (description.starts_with("Launching")) verb = "launch";
  if (description.starts_with("Terminating")) verb = "stop";
  if (activity->StatusCode == "Failed" || activity->StatusCode == "Cancelled") verb = "failed";
  return verb + " " + brief_duration(now - activity->EndTime.value_or(activity->StartTime));
}

std::vector<std::string> group_row(const AutoScalingGroup& group, const std::optional<Activity>& last,
                                   base::Time now) {
  const GroupCounts counts = count_instances(group);
  return {group.AutoScalingGroupName,
          std::to_string(group.MinSize),
          std::to_string(group.DesiredCapacity),
          std::to_string(group.MaxSize),
          std::to_string(counts.in_service),
          std::to_string(counts.pending),
          std::to_string(counts.terminating),
          instance_types(group),
          brief_activity(last, now)};
}

int groups(const Options& options, std::ostream& out) {
  ScalingClient client(options);
  PrintedGroups printed{client.groups()};
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  if (printed.groups.empty()) {
    out << "no groups: `aws autoscaling create-auto-scaling-group` creates one\n";
    return 0;
  }
  const base::Time now = base::SystemClock().now();
  // Short headings: a line fits 80 columns.
  std::vector<std::vector<std::string>> rows{
      {"NAME", "MIN", "DESIRED", "MAX", "RUNNING", "PENDING", "ENDING", "TYPE", "LAST ACTIVITY"}};
  for (const AutoScalingGroup& group : printed.groups) {
    const auto activities = client.group_activities(group.AutoScalingGroupName, 1);
    rows.push_back(
        group_row(group, activities.empty() ? std::optional<Activity>() : activities.front(), now));
  }
  print_table(out, rows);
  return 0;
}

}  // namespace cli
