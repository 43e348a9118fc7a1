// SPDX-License-Identifier: Apache-2.0
// Target tracking: the capacity that brings a metric to its target, and the two alarms that trigger it. Pure functions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "autoscaler/step.h"

namespace autoscaler {

// What a metric of an empty target means. A service starts with one task and continues from there; a group, and a
// metric that is divided by max(capacity, 1), count as one.
enum class FromZero { StartWithOne, CountAsOne };

struct Tracking {
  int capacity = 0;
  double metric = 0, target = 0;
  FromZero from_zero = FromZero::StartWithOne;
};

// ceil(capacity x metric / target): never less than is needed. 0 only for a metric of 0.
int tracked_capacity(const Tracking& tracking);

// The value that an alarm's points stand for: their average when scaling out, their maximum when scaling in. Points from
// before a scale-in were measured with more capacity: an average of them would remove what is needed now.
double tracking_metric(std::span<const double> points, Direction direction);

// The lowest capacity that one scale-in may reach: it removes less than half, and at least one. Capacity providers
// shrink their groups at this pace.
int paced_scale_in(int current, int wanted);

// One target tracking policy among several of one target.
struct TrackingVote {
  bool scale_in_enabled = true;
  bool ready_to_scale_in = false;  // its AlarmLow is in ALARM
  int wanted = 0;
};
// The capacity to scale in to: the largest that a policy wants. nullopt where a policy with scale-in is not ready.
std::optional<int> agreed_scale_in(std::span<const TrackingVote> votes);

// -- Alarms --

enum class Tracker { Group, Application };

// The part of an alarm that follows from its policy. TreatMissingData is "missing", and there are only alarm actions.
struct TrackingAlarm {
  std::string name;
  std::string_view comparison;  // ComparisonOperator
  double threshold = 0;
  int evaluation_periods = 0;
  int period_s = 60;
};

struct TrackingAlarmTerms {
  Tracker tracker = Tracker::Group;
  std::string subject;  // the group's name, or the resource id: "service/default/web"
  double target = 0;
  int period_s = 60;
  bool capacity_provider_reservation = false;  // the metric of ECS's managed scaling
};

// `uuid` is the alarm's own. Amazon replaces both alarms whenever the policy changes.
TrackingAlarm alarm_high(const TrackingAlarmTerms& terms, std::string_view uuid);
TrackingAlarm alarm_low(const TrackingAlarmTerms& terms, std::string_view uuid);

// AlarmDescription. Groups cut it at 255 characters.
std::string tracking_alarm_description(Tracker tracker, std::string_view policy_arn);

// "AWS/ECS/ManagedScaling", "CapacityProviderReservation".
bool is_capacity_provider_reservation(std::string_view space, std::string_view metric);

}  // namespace autoscaler
