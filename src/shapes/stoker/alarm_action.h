// SPDX-License-Identifier: Apache-2.0
// What the owner of an action's target gets when an alarm triggers it: the input of its internal operation
// ExecuteAlarmAction. Spoken between services only.
#pragma once

#include <boost/describe/class.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/time.h"
#include "wire/traits.h"

namespace shapes::stoker {

struct ExecuteAlarmAction {
  std::string actionArn;
  std::string account;
  std::string region;
  std::string alarmArn;
  std::string alarmName;
  std::string oldState;
  std::string newState;
  std::string reason;
  base::Time stateChangedAt;
  bool repeated = false;              // the state lasts; see CloudWatch's Auto Scaling actions
  std::optional<double> metricValue;  // the newest evaluated point
  // The evaluated points, one per evaluation period, the oldest first. None where the alarm's state follows from how it
  // treats missing data.
  std::vector<double> recentDatapoints;
  std::optional<double> threshold;
  std::string comparisonOperator;  // "GreaterThanThreshold"; "" for a composite alarm
  std::string message;  // the notification, as Amazon publishes it to SNS
};
BOOST_DESCRIBE_STRUCT(ExecuteAlarmAction, (), (actionArn, account, region, alarmArn, alarmName, oldState, newState,
    reason, stateChangedAt, repeated, metricValue, recentDatapoints, threshold, comparisonOperator, message))

}  // namespace shapes::stoker
