// SPDX-License-Identifier: Apache-2.0
// Calls of Auto Scaling, of Application Auto Scaling and of the alarms that both use. Lists are complete, not pages.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "cli/commands.h"
#include "client/client.h"
#include "shapes/application_autoscaling/activity.h"
#include "shapes/application_autoscaling/policy.h"
#include "shapes/application_autoscaling/scalable_target.h"
#include "shapes/autoscaling/activity.h"
#include "shapes/autoscaling/group.h"
#include "shapes/autoscaling/policy.h"
#include "shapes/cloudwatch/alarm.h"
#include "shapes/cloudwatch/alarm_history.h"
#include "shapes/stoker/group_waits.h"

namespace cli {

class ScalingClient {
 public:
  explicit ScalingClient(const Options& options);

  // By name.
  std::vector<shapes::autoscaling::AutoScalingGroup> groups();
  // Throws where it is missing.
  shapes::autoscaling::AutoScalingGroup find_group(const std::string& name);
  shapes::stoker::StokerListGroupWaitsResponse group_waits(const std::string& name);
  void update_group(const shapes::autoscaling::UpdateAutoScalingGroupType& request);
  // In progress first, then the newest first; at most so many. `group` "": of all groups.
  std::vector<shapes::autoscaling::Activity> group_activities(const std::string& group, std::size_t most);
  // `group` or `policy` "": of all groups, all policies.
  std::vector<shapes::autoscaling::ScalingPolicy> group_policies(const std::string& group, const std::string& policy);

  // Of ECS services, the newest first; at most so many. `resource` "": of all services.
  std::vector<shapes::application_autoscaling::ScalingActivity> service_activities(const std::string& resource,
                                                                                   std::size_t most);
  std::vector<shapes::application_autoscaling::ScalingPolicy> service_policies(const std::string& policy);
  // "service/default/web"; nullopt where it is not registered.
  std::optional<shapes::application_autoscaling::ScalableTarget> find_target(const std::string& resource);

  std::vector<shapes::cloudwatch::MetricAlarm> alarms(const std::vector<std::string>& names);
  // The newest changes of an alarm's state, the newest first; one page.
  std::vector<shapes::cloudwatch::AlarmHistoryItem> state_changes(const std::string& alarm);
  // The newest value of an alarm's metric, of the periods that the alarm evaluates.
  std::optional<double> last_value(const shapes::cloudwatch::MetricAlarm& alarm, base::Time now);

 private:
  client::Client client_;
};

}  // namespace cli
