// SPDX-License-Identifier: Apache-2.0
// stoker group show|set
#include <map>
#include <ostream>

#include "cli/cluster_client.h"
#include "cli/group_rows.h"
#include "cli/json.h"
#include "cli/scaling_client.h"
#include "cli/scaling_events.h"
#include "cli/scaling_policy.h"
#include "cli/table.h"
#include "cli/terminal_text.h"
#include "cli/usage_error.h"
#include "wire/timestamp.h"

namespace cli {
namespace {

using shapes::autoscaling::Activity;
using shapes::autoscaling::AutoScalingGroup;
using shapes::autoscaling::Instance;
using shapes::autoscaling::LaunchTemplateSpecification;
using shapes::autoscaling::ScalingPolicy;
using shapes::autoscaling::SuspendedProcess;

constexpr std::size_t kShownActivities = 5;
constexpr std::size_t kTypeWidth = 14, kDetailIndent = 4;

struct PrintedGroup {
  AutoScalingGroup group;
  std::vector<ScalingPolicy> policies;
  std::vector<Activity> activities;
};
BOOST_DESCRIBE_STRUCT(PrintedGroup, (), (group, policies, activities))

std::string template_text(const LaunchTemplateSpecification& given) {
  const std::string name = given.LaunchTemplateName.value_or(given.LaunchTemplateId.value_or(""));
  return "launch template " + name + " (" + given.Version.value_or("$Default") + ")";
}

// By EC2 instance. A group's machines may be in another cluster, or in none yet.
std::map<std::string, std::string> task_counts(const Options& options) {
  std::map<std::string, std::string> counts;
  try {
    ClusterClient cluster(options);
    for (const auto& machine : cluster.instances()) {
      const int tasks = machine.runningTasksCount.value_or(0) + machine.pendingTasksCount.value_or(0);
      counts[machine.ec2InstanceId.value_or("")] = std::to_string(tasks);
    }
  } catch (const std::runtime_error&) {
    return {};  // the cluster does not exist
  }
  return counts;
}

// "1a" of "us-east-1a"
std::string brief_zone(const std::string& zone) { return zone.substr(zone.rfind('-') + 1); }

std::string instance_note(const Instance& instance) {
  const bool unhealthy = instance.HealthStatus != "Healthy";
  if (unhealthy && instance.ProtectedFromScaleIn) return "unhealthy, protected";
  if (unhealthy) return "unhealthy";
  return instance.ProtectedFromScaleIn ? "protected" : "";
}

void print_instances(const Options& options, const std::vector<Instance>& instances, std::ostream& out) {
  if (instances.empty()) return;
  auto tasks = task_counts(options);
  std::vector<std::vector<std::string>> rows{{"INSTANCE", "STATE", "TASKS", "TYPE", "ZONE", "NOTE"}};
  for (const Instance& one : instances) {
    const auto count = tasks.find(one.InstanceId);
    rows.push_back({one.InstanceId, one.LifecycleState, count == tasks.end() ? "-" : count->second,
                    shortened(one.InstanceType.value_or("-"), kTypeWidth), brief_zone(one.AvailabilityZone),
                    instance_note(one)});
  }
  out << '\n';
  print_table(out, rows);
}

void print_policies(const std::vector<ScalingPolicy>& policies, std::ostream& out) {
  if (policies.empty()) return;
  out << '\n';
  for (const ScalingPolicy& policy : policies) {
    print_wrapped(out, "policy " + policy.PolicyName.value_or(""), 0);
    print_wrapped(out, policy.PolicyType.value_or("") + ": " + policy_rule(policy), kDetailIndent);
  }
}

void print_activities(const std::vector<Activity>& activities, std::ostream& out) {
  if (!activities.empty()) out << '\n';
  for (const Activity& activity : activities) {
    print_wrapped(out, wire::to_iso8601(activity.StartTime) + " " + activity.StatusCode + " " +
                           activity.Description.value_or(""), 0);
    for (const std::string_view sentence : cause_sentences(activity.Cause)) {
      print_wrapped(out, std::string(sentence), kDetailIndent);
    }
    if (activity.StatusMessage) print_wrapped(out, *activity.StatusMessage, kDetailIndent);
  }
}

}  // namespace

std::string launch_source(const AutoScalingGroup& group) {
  if (group.LaunchConfigurationName) return "launch configuration " + *group.LaunchConfigurationName;
  if (group.LaunchTemplate) return template_text(*group.LaunchTemplate);
  if (!group.MixedInstancesPolicy || !group.MixedInstancesPolicy->LaunchTemplate) return "-";
  const auto& mixed = *group.MixedInstancesPolicy->LaunchTemplate;
  std::string types;
  if (mixed.Overrides) {
    for (const auto& one : *mixed.Overrides) types += (types.empty() ? "" : ", ") + one.InstanceType.value_or("?");
  }
  return template_text(mixed.LaunchTemplateSpecification.value_or(LaunchTemplateSpecification())) +
         (types.empty() ? "" : ", types " + types);
}

std::string group_sizes(const AutoScalingGroup& group) {
  const GroupCounts counts = count_instances(group);
  std::string text = group.AutoScalingGroupName + ": " + std::to_string(group.DesiredCapacity) + " desired (" +
                     std::to_string(group.MinSize) + " to " + std::to_string(group.MaxSize) + "); " +
                     std::to_string(counts.in_service) + " in service";
  if (counts.pending > 0) text += ", " + std::to_string(counts.pending) + " pending";
  if (counts.terminating > 0) text += ", " + std::to_string(counts.terminating) + " terminating";
  return text;
}

int group_show(const Options& options, const std::string& name, std::ostream& out) {
  ScalingClient client(options);
  PrintedGroup printed{client.find_group(name), {}, {}};
  printed.policies = client.group_policies(name, "");
  printed.activities = client.group_activities(name, kShownActivities);
  if (options.json) {
    print_json(out, printed);
    return 0;
  }
  const AutoScalingGroup& group = printed.group;
  print_wrapped(out, group_sizes(group), 0);
  print_wrapped(out, launch_source(group), 0);
  if (group.Status) out << terminal_text(*group.Status) << '\n';
  for (const SuspendedProcess& one : group.SuspendedProcesses.value_or(std::vector<SuspendedProcess>())) {
    out << one.ProcessName.value_or("") << " is suspended: " << terminal_text(one.SuspensionReason.value_or("")) << '\n';
  }
  print_instances(options, group.Instances.value_or(std::vector<Instance>()), out);
  print_policies(printed.policies, out);
  print_activities(printed.activities, out);
  return 0;
}

int group_set(const Options& options, const GroupSizes& sizes, std::ostream& out) {
  if (!sizes.min && !sizes.max && !sizes.desired) {
    throw UsageError("nothing to set: use --min, --max or --desired");
  }
  ScalingClient client(options);
  client.find_group(sizes.group);
  shapes::autoscaling::UpdateAutoScalingGroupType request;
  request.AutoScalingGroupName = sizes.group;
  request.MinSize = sizes.min;
  request.MaxSize = sizes.max;
  request.DesiredCapacity = sizes.desired;
  client.update_group(request);
  const AutoScalingGroup changed = client.find_group(sizes.group);
  if (options.json) {
    print_json(out, changed);
  } else {
    out << group_sizes(changed) << '\n';
  }
  return 0;
}

}  // namespace cli
