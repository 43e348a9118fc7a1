// SPDX-License-Identifier: Apache-2.0
#include "autoscaler/target_tracking.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace autoscaler {
namespace {

constexpr int kHighPeriods = 3;
constexpr int kLowPeriods = 15;
constexpr std::size_t kMaxDescription = 255;
// Metrics are averages of doubles: 3 x (70 / 70) must not become 4.
constexpr double kRoundingError = 1e-9;

std::string alarm_name(const TrackingAlarmTerms& terms, std::string_view kind, std::string_view uuid) {
  return "TargetTracking-" + terms.subject + "-" + std::string(kind) + "-" + std::string(uuid);
}

// The gap below the target keeps an alarm pair from flapping. The reservation of a capacity provider has none.
double low_threshold(const TrackingAlarmTerms& terms) {
  if (terms.capacity_provider_reservation) return terms.target;
  return terms.tracker == Tracker::Group ? terms.target * 7 / 10 : terms.target * 9 / 10;
}

}  // namespace

int tracked_capacity(const Tracking& tracking) {
  if (tracking.metric <= 0) return 0;
  if (tracking.capacity <= 0 && tracking.from_zero == FromZero::StartWithOne) return 1;
  const double exact = std::max(tracking.capacity, 1) * tracking.metric / tracking.target;
  const double needed = std::ceil(exact * (1 - kRoundingError));
  return static_cast<int>(std::clamp(needed, 1.0, static_cast<double>(std::numeric_limits<int>::max())));
}

double tracking_metric(std::span<const double> points, Direction direction) {
  const Aggregation aggregation = direction == Direction::In ? Aggregation::Maximum : Aggregation::Average;
  return aggregate(points, aggregation).value_or(0);
}

int paced_scale_in(int current, int wanted) {
  const int most = std::max(1, (current + 1) / 2 - 1);
  return std::max({wanted, current - most, 0});
}

std::optional<int> agreed_scale_in(std::span<const TrackingVote> votes) {
  std::optional<int> largest;
  for (const TrackingVote& vote : votes) {
    if (!vote.scale_in_enabled) continue;
    if (!vote.ready_to_scale_in) return std::nullopt;
    largest = std::max(largest.value_or(0), vote.wanted);
  }
  return largest;
}

TrackingAlarm alarm_high(const TrackingAlarmTerms& terms, std::string_view uuid) {
  return {.name = alarm_name(terms, "AlarmHigh", uuid),
          .comparison = "GreaterThanThreshold",
          .threshold = terms.target,
          .evaluation_periods = terms.capacity_provider_reservation ? 1 : kHighPeriods,
          .period_s = terms.period_s};
}

TrackingAlarm alarm_low(const TrackingAlarmTerms& terms, std::string_view uuid) {
  return {.name = alarm_name(terms, "AlarmLow", uuid),
          .comparison = "LessThanThreshold",
          .threshold = low_threshold(terms),
          .evaluation_periods = kLowPeriods,
          .period_s = terms.period_s};
}

std::string tracking_alarm_description(Tracker tracker, std::string_view policy_arn) {
  std::string text = "DO NOT EDIT OR DELETE. For TargetTrackingScaling policy " + std::string(policy_arn) + ".";
  if (tracker == Tracker::Group && text.size() > kMaxDescription) text.resize(kMaxDescription);
  return text;
}

bool is_capacity_provider_reservation(std::string_view space, std::string_view metric) {
  return space == "AWS/ECS/ManagedScaling" && metric == "CapacityProviderReservation";
}

}  // namespace autoscaler
