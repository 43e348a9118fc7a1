// SPDX-License-Identifier: Apache-2.0
// Changes of desired counts, read from the activities of both scaling services.
#pragma once

#include <boost/describe/class.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "shapes/application_autoscaling/activity.h"
#include "shapes/autoscaling/activity.h"
#include "shapes/cloudwatch/alarm_history.h"

namespace cli {

struct ScalingEvent {
  base::Time time;
  std::string target;                    // "group gpu", "service default/web"
  std::optional<std::int32_t> from, to;  // Application Auto Scaling does not record the count before
  std::string reason;                    // "policy by-backlog", "a user request ..."
  std::optional<std::string> error;      // the change failed
  std::optional<std::string> alarm, alarmState;
  std::optional<double> value, threshold;  // of the alarm's metric
  bool operator==(const ScalingEvent&) const = default;
};
BOOST_DESCRIBE_STRUCT(ScalingEvent, (), (time, target, from, to, reason, error, alarm, alarmState, value, threshold))

// "At <time> <text>." each.
std::vector<std::string_view> cause_sentences(std::string_view cause);

// Each change once, although all activities that follow it state it in their causes. The newest first.
std::vector<ScalingEvent> events_of_groups(const std::vector<shapes::autoscaling::Activity>& activities);
std::vector<ScalingEvent> events_of_services(
    const std::vector<shapes::application_autoscaling::ScalingActivity>& activities);

// Adds value and threshold of the change of state that caused the event, if it is among these; the newest first.
void add_metric_value(ScalingEvent& event, const std::vector<shapes::cloudwatch::AlarmHistoryItem>& changes);

// TIME, CHANGE, TARGET
std::vector<std::string> event_row(const ScalingEvent& event);
// "policy by-backlog; alarm backlog ALARM, 150 (threshold 0)"
std::string event_reason(const ScalingEvent& event);

// "1.5", "12"
std::string number_text(double number);

}  // namespace cli
