// SPDX-License-Identifier: Apache-2.0
// The alarms that a target tracking policy owns in CloudWatch.
#pragma once

#include <string>
#include <vector>

#include "services/application_autoscaling/policy.h"

namespace services::application_autoscaling {

// AlarmHigh, and AlarmLow unless scaling in is disabled.
std::vector<shapes::application_autoscaling::Alarm> create_alarms(Call& call, const StoredTarget& target,
                                                                  const StoredPolicy& policy);
void delete_alarms(Call& call, const StoredTarget& target, const StoredPolicy& policy);

// The present state of a policy's AlarmLow, and the points that it was decided by.
struct LowAlarm {
  bool in_alarm = false;
  std::vector<double> points = {};
};
LowAlarm read_low_alarm(Call& call, const StoredTarget& target, const StoredPolicy& policy);

}  // namespace services::application_autoscaling
