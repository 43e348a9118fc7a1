// SPDX-License-Identifier: Apache-2.0
#include "services/application_autoscaling/policy_alarms.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>

#include "autoscaler/target_tracking.h"
#include "base/random.h"
#include "services/application_autoscaling/tracked_metric.h"
#include "services/arn.h"
#include "services/invoke.h"

namespace services::application_autoscaling {
namespace {

using namespace shapes::application_autoscaling;
using autoscaler::TrackingAlarm;
using shapes::cloudwatch::PutMetricAlarmInput;

// A backlog is published as it changes: its alarm looks at ten seconds, so that earlier ones do not hide it.
constexpr int kBacklogPeriod = 10;

shapes::application_autoscaling::Alarm put_alarm(Call& call, const StoredTarget& target, const StoredPolicy& policy,
                                                 const TrackingAlarm& terms, const std::string& action) {
  PutMetricAlarmInput alarm{.AlarmName = terms.name};
  alarm.AlarmDescription = autoscaler::tracking_alarm_description(autoscaler::Tracker::Application, action);
  alarm.ActionsEnabled = true;
  alarm.AlarmActions = {{action}};
  alarm.ComparisonOperator = std::string(terms.comparison);
  alarm.Threshold = terms.threshold;
  alarm.EvaluationPeriods = terms.evaluation_periods;
  alarm.TreatMissingData = "missing";
  set_metric(target, *policy.body.TargetTrackingScalingPolicyConfiguration, terms.period_s, alarm);
  invoke(call, principal_for(call, target), "cloudwatch", "PutMetricAlarm", alarm);
  return {.AlarmName = terms.name,
          .AlarmARN = Arn{"cloudwatch", target.region, target.account, "alarm:" + terms.name}.str()};
}

std::vector<double> recent_points(const std::string& data) {
  std::vector<double> points;
  boost::system::error_code error;
  const boost::json::value parsed = boost::json::parse(data, error);
  if (error || !parsed.is_object()) return points;
  const boost::json::value* list = parsed.as_object().if_contains("recentDatapoints");
  if (!list || !list->is_array()) return points;
  for (const boost::json::value& item : list->as_array()) {
    if (item.is_number()) points.push_back(item.to_number<double>());
  }
  return points;
}

}  // namespace

std::vector<shapes::application_autoscaling::Alarm> create_alarms(Call& call, const StoredTarget& target,
                                                                  const StoredPolicy& policy) {
  const auto& configuration = *policy.body.TargetTrackingScalingPolicyConfiguration;
  const autoscaler::TrackingAlarmTerms terms{
      .tracker = autoscaler::Tracker::Application, .subject = target.resource, .target = configuration.TargetValue};
  const std::string action = policy.body.PolicyARN + ":createdBy/" + base::random_uuid();
  TrackingAlarm high = autoscaler::alarm_high(terms, base::random_uuid());
  if (tracks_backlog(configuration)) {
    high.period_s = kBacklogPeriod;
    high.evaluation_periods = 1;
  }
  std::vector<shapes::application_autoscaling::Alarm> alarms = {put_alarm(call, target, policy, high, action)};
  if (!configuration.DisableScaleIn.value_or(false)) {
    alarms.push_back(put_alarm(call, target, policy, autoscaler::alarm_low(terms, base::random_uuid()), action));
  }
  return alarms;
}

void delete_alarms(Call& call, const StoredTarget& target, const StoredPolicy& policy) {
  if (policy.body.PolicyType != kTargetTracking || !policy.body.Alarms) return;
  for (const auto& alarm : *policy.body.Alarms) {
    try {
      invoke(call, principal_for(call, target), "cloudwatch", "DeleteAlarms",
             shapes::cloudwatch::DeleteAlarmsInput{.AlarmNames = {alarm.AlarmName}});
    } catch (const wire::ApiError& error) {
      // Somebody has deleted it, in spite of its description.
      if (error.code() != "ResourceNotFound") throw;
    }
  }
}

LowAlarm read_low_alarm(Call& call, const StoredTarget& target, const StoredPolicy& policy) {
  LowAlarm low;
  if (!policy.body.Alarms) return low;
  for (const auto& alarm : *policy.body.Alarms) {
    if (alarm.AlarmName.find("-AlarmLow-") == alarm.AlarmName.npos) continue;
    shapes::cloudwatch::DescribeAlarmsInput input;
    input.AlarmNames = {{alarm.AlarmName}};
    const auto found = invoke<shapes::cloudwatch::DescribeAlarmsOutput>(call, principal_for(call, target), "cloudwatch",
                                                                        "DescribeAlarms", input);
    if (!found.MetricAlarms || found.MetricAlarms->empty()) continue;
    low.in_alarm = found.MetricAlarms->front().StateValue == "ALARM";
    low.points = recent_points(found.MetricAlarms->front().StateReasonData.value_or("{}"));
  }
  return low;
}

}  // namespace services::application_autoscaling
