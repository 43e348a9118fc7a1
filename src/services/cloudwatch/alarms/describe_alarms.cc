// SPDX-License-Identifier: Apache-2.0
// DescribeAlarms and DescribeAlarmsForMetric.
#include <algorithm>

#include "base/bytes.h"
#include "services/cloudwatch/alarms/alarm_operations.h"
#include "services/cloudwatch/alarms/alarm_validation.h"
#include "services/cloudwatch/errors.h"
#include "services/cloudwatch/metric_reading.h"
#include "services/shape_json.h"
#include "telemetry/metrics/metric.h"

namespace services::cloudwatch {
namespace {

using namespace shapes::cloudwatch;

constexpr std::int32_t kDefaultAlarms = 50;
// Rows that one page looks at. A filter that few alarms pass makes short pages, with a token for the rest.
constexpr std::int64_t kMaxScannedAlarms = 2000;

using TextList = std::optional<std::vector<std::string>>;
TextList or_empty(const TextList& list) { return list.value_or(std::vector<std::string>()); }

MetricAlarm show_metric_alarm(const Alarm& alarm) {
  const auto input = from_json<PutMetricAlarmInput>(alarm.configuration);
  MetricAlarm out;
  out.AlarmName = alarm.name;
  out.AlarmArn = alarm.arn();
  out.AlarmDescription = input.AlarmDescription;
  out.AlarmConfigurationUpdatedTimestamp = alarm.configured_at;
  out.ActionsEnabled = alarm.actions_enabled;
  out.OKActions = or_empty(input.OKActions);
  out.AlarmActions = or_empty(input.AlarmActions);
  out.InsufficientDataActions = or_empty(input.InsufficientDataActions);
  out.StateValue = to_text(alarm.state);
  out.StateReason = alarm.state_reason;
  out.StateReasonData = alarm.state_reason_data;
  out.StateUpdatedTimestamp = alarm.state_updated_at;
  out.StateTransitionedTimestamp = alarm.state_transitioned_at;
  out.MetricName = input.MetricName;
  out.Namespace = input.Namespace;
  out.Statistic = input.Statistic;
  out.ExtendedStatistic = input.ExtendedStatistic;
  out.Dimensions = input.Dimensions.value_or(std::vector<Dimension>());
  out.Period = input.Period;
  out.Unit = input.Unit;
  out.EvaluationPeriods = input.EvaluationPeriods;
  out.DatapointsToAlarm = input.DatapointsToAlarm;
  out.Threshold = input.Threshold;
  out.ComparisonOperator = input.ComparisonOperator;
  out.TreatMissingData = input.TreatMissingData;
  out.EvaluateLowSampleCountPercentile = input.EvaluateLowSampleCountPercentile;
  if (input.Metrics && !input.Metrics->empty()) out.Metrics = input.Metrics;
  return out;
}

CompositeAlarm show_composite_alarm(const Alarm& alarm) {
  const auto input = from_json<PutCompositeAlarmInput>(alarm.configuration);
  CompositeAlarm out;
  out.ActionsEnabled = alarm.actions_enabled;
  out.AlarmActions = or_empty(input.AlarmActions);
  out.AlarmArn = alarm.arn();
  out.AlarmConfigurationUpdatedTimestamp = alarm.configured_at;
  out.AlarmDescription = input.AlarmDescription;
  out.AlarmName = alarm.name;
  out.AlarmRule = input.AlarmRule;
  out.InsufficientDataActions = or_empty(input.InsufficientDataActions);
  out.OKActions = or_empty(input.OKActions);
  out.StateReason = alarm.state_reason;
  out.StateReasonData = alarm.state_reason_data;
  out.StateUpdatedTimestamp = alarm.state_updated_at;
  out.StateValue = to_text(alarm.state);
  out.StateTransitionedTimestamp = alarm.state_transitioned_at;
  if (alarm.suppression.by != SuppressedBy::Nothing) {
    out.ActionsSuppressedBy = to_text(alarm.suppression.by);
    out.ActionsSuppressedReason = "Actions suppressed by " + std::string(to_text(alarm.suppression.by));
  }
  out.ActionsSuppressor = input.ActionsSuppressor;
  out.ActionsSuppressorWaitPeriod = input.ActionsSuppressorWaitPeriod;
  out.ActionsSuppressorExtensionPeriod = input.ActionsSuppressorExtensionPeriod;
  return out;
}

void add_alarm(DescribeAlarmsOutput& output, const Alarm& alarm) {
  if (alarm.composite) {
    output.CompositeAlarms->push_back(show_composite_alarm(alarm));
  } else {
    output.MetricAlarms->push_back(show_metric_alarm(alarm));
  }
}

// Whether an alarm passes the filters other than names.
struct AlarmFilter {
  bool metric = true, composite = false;
  std::optional<std::string> state, action_prefix;

  bool passes(const Alarm& alarm) const {
    if (alarm.composite ? !composite : !metric) return false;
    if (state && to_text(alarm.state) != *state) return false;
    if (!action_prefix) return true;
    for (AlarmState one : {AlarmState::Ok, AlarmState::Alarm, AlarmState::InsufficientData}) {
      const auto actions = actions_for(alarm, one);
      if (std::any_of(actions.begin(), actions.end(),
                      [&](const std::string& action) { return action.starts_with(*action_prefix); })) {
        return true;
      }
    }
    return false;
  }
};

AlarmFilter filter_of(const DescribeAlarmsInput& request) {
  AlarmFilter filter{.state = request.StateValue, .action_prefix = request.ActionPrefix};
  if (!request.AlarmTypes || request.AlarmTypes->empty()) return filter;
  const auto& types = *request.AlarmTypes;
  filter.metric = std::find(types.begin(), types.end(), "MetricAlarm") != types.end();
  filter.composite = std::find(types.begin(), types.end(), "CompositeAlarm") != types.end();
  return filter;
}

std::string after_token(const std::optional<std::string>& token) {
  if (!token || token->empty()) return "";
  const auto after = base::from_base64(*token);
  if (!after || after->empty()) throw wire::ApiError("InvalidNextToken", "The token is invalid.");
  return *after;
}

// Alarms in order of their names.
DescribeAlarmsOutput list_alarms(Call& call, const DescribeAlarmsInput& request) {
  static const std::string sql = std::string("SELECT ") + kAlarmColumns +
                                 " FROM cloudwatch_alarms WHERE account = $1 AND region = $2 AND name > $3 AND "
                                 "name >= $4 ORDER BY name LIMIT $5";
  const AlarmFilter filter = filter_of(request);
  const std::string prefix = request.AlarmNamePrefix.value_or("");
  check_storable(prefix, "AlarmNamePrefix");
  const auto size = static_cast<std::size_t>(request.MaxRecords.value_or(kDefaultAlarms));
  DescribeAlarmsOutput output{.CompositeAlarms = std::vector<CompositeAlarm>(),
                              .MetricAlarms = std::vector<MetricAlarm>()};
  std::string after = after_token(request.NextToken);
  check_storable(after, "NextToken");
  constexpr std::int64_t kSlice = 200;
  for (std::int64_t scanned = 0; scanned < kMaxScannedAlarms; scanned += kSlice) {
    const auto alarms =
        call.tx.query(sql, call.caller.account, call.caller.region, after, prefix, kSlice).all(&read_alarm);
    for (const Alarm& alarm : alarms) {
      if (!alarm.name.starts_with(prefix)) return output;
      if (filter.passes(alarm)) {
        if (output.CompositeAlarms->size() + output.MetricAlarms->size() == size) {
          output.NextToken = base::to_base64(after);
          return output;
        }
        add_alarm(output, alarm);
      }
      after = alarm.name;
    }
    if (alarms.size() < static_cast<std::size_t>(kSlice)) return output;
  }
  output.NextToken = base::to_base64(after);
  return output;
}

// Only names, ARNs and, of children, states: as on Amazon.
DescribeAlarmsOutput list_related(Call& call, const DescribeAlarmsInput& request) {
  DescribeAlarmsOutput output{.CompositeAlarms = std::vector<CompositeAlarm>(),
                              .MetricAlarms = std::vector<MetricAlarm>()};
  const bool children = request.ChildrenOfAlarmName.has_value();
  const std::string& name = children ? *request.ChildrenOfAlarmName : *request.ParentsOfAlarmName;
  const auto alarm = find_alarm(call, name);
  if (!alarm) throw wire::ApiError("ResourceNotFound", "");
  std::vector<Alarm> related;
  if (children) {
    for (const std::string& child : alarm_links(call.tx, alarm->id).children) {
      if (auto found = find_alarm(call, child)) related.push_back(std::move(*found));
    }
  } else {
    for (AlarmId parent : parents_of(call.tx, alarm->account, alarm->region, name)) {
      if (auto found = find_alarm(call.tx, parent)) related.push_back(std::move(*found));
    }
  }
  for (const Alarm& one : related) {
    const auto fill = [&](auto shown) {
      shown.AlarmName = one.name;
      shown.AlarmArn = one.arn();
      if (!children) return shown;
      shown.StateValue = to_text(one.state);
      shown.StateUpdatedTimestamp = one.state_updated_at;
      return shown;
    };
    if (one.composite) {
      output.CompositeAlarms->push_back(fill(CompositeAlarm{}));
    } else {
      output.MetricAlarms->push_back(fill(MetricAlarm{}));
    }
  }
  return output;
}

DescribeAlarmsOutput describe_alarms(Call& call, const DescribeAlarmsInput& request) {
  const bool names = request.AlarmNames && !request.AlarmNames->empty();
  if (request.ChildrenOfAlarmName || request.ParentsOfAlarmName) {
    const bool types = request.AlarmTypes && !request.AlarmTypes->empty();
    if (names || types || request.AlarmNamePrefix || request.StateValue || request.ActionPrefix ||
        (request.ChildrenOfAlarmName && request.ParentsOfAlarmName)) {
      throw validation_error(
          "ChildrenOfAlarmName and ParentsOfAlarmName can not be combined with other parameters than MaxRecords and "
          "NextToken");
    }
    return list_related(call, request);
  }
  if (names && request.AlarmNamePrefix) {
    throw validation_error("AlarmNames and AlarmNamePrefix are mutually exclusive");
  }
  if (!names) return list_alarms(call, request);
  const AlarmFilter filter = filter_of(request);
  DescribeAlarmsOutput output{.CompositeAlarms = std::vector<CompositeAlarm>(),
                              .MetricAlarms = std::vector<MetricAlarm>()};
  std::vector<std::string> sorted = *request.AlarmNames;
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const std::string& name : sorted) {
    const auto alarm = find_alarm(call, name);
    if (alarm && filter.passes(*alarm)) add_alarm(output, *alarm);
  }
  return output;
}

DescribeAlarmsForMetricOutput describe_alarms_for_metric(Call& call, const DescribeAlarmsForMetricInput& request) {
  const std::string key =
      telemetry::metric_key(to_metric(call.caller, request.Namespace, request.MetricName, request.Dimensions));
  const auto ids =
      call.tx.query("SELECT alarm FROM cloudwatch_alarm_metrics WHERE series = $1 ORDER BY alarm", store::BlobView{key})
          .all([](const store::Row& row) { return row.integer(0); });
  DescribeAlarmsForMetricOutput output{.MetricAlarms = std::vector<MetricAlarm>()};
  for (AlarmId id : ids) {
    const auto alarm = find_alarm(call.tx, id);
    if (!alarm) continue;
    MetricAlarm shown = show_metric_alarm(*alarm);
    if (shown.Metrics) continue;  // Amazon leaves metric math out
    if (request.Statistic && shown.Statistic != request.Statistic) continue;
    if (request.ExtendedStatistic && shown.ExtendedStatistic != request.ExtendedStatistic) continue;
    if (request.Period && shown.Period != request.Period) continue;
    if (request.Unit && shown.Unit != request.Unit) continue;
    output.MetricAlarms->push_back(std::move(shown));
  }
  return output;
}

}  // namespace

std::vector<Operation> describe_alarm_operations() {
  return {operation<&describe_alarms>("DescribeAlarms", Access::Read),
          operation<&describe_alarms_for_metric>("DescribeAlarmsForMetric", Access::Read)};
}

}  // namespace services::cloudwatch
